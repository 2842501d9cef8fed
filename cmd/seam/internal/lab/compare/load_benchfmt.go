package compare

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A bench is one value as the file has it, before names are settled.
type bench struct {
	scope string
	full  string // name with the "-8" of GOMAXPROCS, if it has one
	key   key
	value float64
	round int
}

// readBenchfmt reads the Go benchmark format. Each line is a value; seam lab
// writes one for each process. Without rounds (go test -bench) all values count
// as one process, since nothing tells them apart, until a PASS or FAIL ends it.
func (f *File) readBenchfmt(r io.Reader) error {
	end := &ending{in: r}
	in := benchfmt.NewReader(&factReader{in: bufio.NewReader(end)}, f.Name)
	var all []bench
	facts := map[string][]string{}
	procs := map[string]bool{}
	badRound := false
	for in.Scan() {
		res, ok := in.Result().(*benchfmt.Result)
		if !ok {
			if bad, ok := in.Result().(*benchfmt.SyntaxError); ok {
				f.warn("line %d: %s", bad.Line, bad.Msg)
			}
			continue
		}
		round := 0
		for _, c := range res.Config {
			value := string(c.Value)
			switch {
			case !c.File || c.Key == "pkg":
			case c.Key == result.KeyRound:
				n, err := strconv.Atoi(value)
				if err != nil && !badRound {
					badRound = true
					f.warn("%s: %q is not a number; its values count as round 0", result.KeyRound, value)
				}
				round = n
			case c.Key == result.KeyBases:
				for _, name := range strings.Fields(value) {
					f.bases[name] = true
				}
			case !slices.Contains(facts[c.Key], value):
				facts[c.Key] = append(facts[c.Key], value)
			}
		}
		full := string(res.Name)
		short, suffix := splitProcs(res.Name)
		procs[suffix] = true
		for _, v := range res.Values {
			if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
				_, line := res.Pos()
				f.warn("line %d: %s has the value %v, which is not a measurement", line, full, v.Value)
				continue
			}
			all = append(all, bench{res.GetConfig("pkg"), full, key{short, v.Unit}, v.Value, round})
		}
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return errors.New("a line is longer than 64 KiB; want the output of seam lab --benchfmt or go test -bench")
	} else if err != nil {
		return errors.Unwrap(err) // without the name that it was wrapped in
	}
	if end.last != 0 && end.last != '\n' {
		return errors.New("the file is cut off: its last line has no end; make it again")
	}
	f.settleNames(all)
	for _, k := range factOrder {
		f.addFact(k, facts[k])
		delete(facts, k)
	}
	suffixes := slices.Collect(maps.Keys(procs))
	if len(suffixes) == 1 && suffixes[0] != "" && f.fact(result.KeyProcs) == "" {
		f.addFact(result.KeyProcs, []string{suffixes[0][1:]})
	}
	for _, k := range slices.Sorted(maps.Keys(facts)) {
		f.addFact(k, facts[k])
	}
	for k, m := range in.Units() {
		switch k.Key {
		case "better":
			f.higher[k.Unit] = m.Value == "higher"
		case "assume":
			f.exact[k.Unit] = m.Value == "exact"
		}
	}
	return nil
}

// An ending notes how what is read ends: every program that writes this format ends every line, so a
// file that ends within one is not whole, and what it lacks would pass for not measured.
type ending struct {
	in   io.Reader
	last byte
}

func (e *ending) Read(b []byte) (int, error) {
	n, err := e.in.Read(b)
	if n > 0 {
		e.last = b[n-1]
	}
	return n, err
}

func (f *File) addFact(name string, values []string) {
	if len(values) > 0 {
		f.Facts = append(f.Facts, Fact{quantity.Printable(name), quantity.Printable(strings.Join(values, ", "))})
	}
}

// settleNames adds the values under names that machines with other numbers of
// processors have too: without the "-8" that go test appends. Where a file has
// a name with several such suffixes (go test -cpu 1,8, or a name that ends in a
// number itself), they mean something and stay.
func (f *File) settleNames(all []bench) {
	type place struct{ scope, name string }
	first := map[place]string{}
	several := map[place]bool{}
	for _, b := range all {
		p := place{b.scope, b.key.name}
		if full, ok := first[p]; !ok {
			first[p] = b.full
		} else if full != b.full {
			several[p] = true
		}
	}
	for _, b := range all {
		if several[place{b.scope, b.key.name}] {
			b.key.name = b.full
		}
		f.add(b.scope, b.key, b.value, b.round)
	}
}

// splitProcs splits "Name/sub-8" into "Name/sub" and "-8".
func splitProcs(name benchfmt.Name) (short, suffix string) {
	full := string(name)
	_, parts := name.Parts()
	if len(parts) == 0 {
		return full, ""
	}
	last := string(parts[len(parts)-1])
	if !strings.HasPrefix(last, "-") {
		return full, ""
	}
	return strings.TrimSuffix(full, last), last
}

// warn keeps the first few warnings: a file of another kind has one a line.
func (f *File) warn(format string, args ...any) {
	const most = 5
	switch {
	case len(f.Warnings) < most:
		f.Warnings = append(f.Warnings, quantity.Printable(fmt.Sprintf(format, args...)))
	case len(f.Warnings) == most:
		f.Warnings = append(f.Warnings, "and more like these")
	}
}
