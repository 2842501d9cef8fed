package prof

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A made is a function that a compiler has made at run time.
type made struct {
	low, high uint64
	name      string
}

// readPerfMap reads what compilers at run time write for perf into /tmp/perf-PID.map, as the
// process has kept it: the last that it did.
func readPerfMap(file string) ([]made, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var last []byte
	for {
		piece, rest, ok := cut(text)
		if !ok {
			break
		}
		last, text = piece.profile, rest
	}
	return parsePerfMap(string(last)), nil
}

// parsePerfMap reads a line for each function: where it begins, its size, both in hexadecimal, and
// its name. Memory is used again, so the last one counts where several lie; they come last.
func parsePerfMap(text string) (list []made) {
	for line := range strings.Lines(text) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(words) < 3 {
			continue
		}
		low, err1 := strconv.ParseUint(strings.TrimPrefix(words[0], "0x"), 16, 64)
		size, err2 := strconv.ParseUint(strings.TrimPrefix(words[1], "0x"), 16, 64)
		if err1 != nil || err2 != nil || size == 0 || low+size < low {
			continue
		}
		list = append(list, made{low, low + size, words[2]})
	}
	slices.Reverse(list) // of those that begin together the last is found first
	slices.SortStableFunc(list, func(a, b made) int {
		switch {
		case a.low < b.low:
			return -1
		case a.low > b.low:
			return 1
		}
		return 0
	})
	return list
}

// madeAt is the name of what was made at an address, "" where nothing was.
func madeAt(list []made, address uint64) string {
	i, _ := slices.BinarySearchFunc(list, address, func(m made, at uint64) int {
		if m.low <= at {
			return -1
		}
		return 1
	})
	const near = 64 // older ones that were larger may lie before
	name := ""
	for k := i - 1; k >= 0 && k >= i-near; k-- {
		if address < list[k].high {
			name = list[k].name
			for k > 0 && list[k-1].low == list[k].low && address < list[k-1].high {
				k--
				name = list[k].name
			}
			break
		}
	}
	return name
}
