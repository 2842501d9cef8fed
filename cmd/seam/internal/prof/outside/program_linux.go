//go:build linux

package outside

import (
	"bufio"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

// A program is what the file of a process says of its functions.
type program struct {
	functions []elf.Symbol // of Go, by address
	symbols   map[string]uint64
	low, high uint64 // Go's code
	bias      uint64 // how far from there the file was loaded

	m struct{ ncgocall, alllink, incgo int64 } // where the runtime's m has what; 0: not known
}

// open reads the program of a process.
func open(proc string) (*program, error) {
	f, err := elf.Open(proc + "/exe")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, errors.New("it has no symbol table (it was linked with -ldflags=-s, or stripped), so functions have no names: build it without")
	}
	p := &program{symbols: map[string]uint64{}}
	for _, s := range symbols {
		switch s.Name {
		case "runtime.text":
			p.low = s.Value
		case "runtime.etext":
			p.high = s.Value
		case "runtime.allm", "runtime.ncgocall", "runtime.cgocall", "_cgo_init", "runtime/cgo.SeamCall":
			p.symbols[s.Name] = s.Value
		}
	}
	if !p.has("_cgo_init") {
		return nil, errors.New("it calls no C through cgo: there are no crossings to look at")
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Value >= p.low && s.Value < p.high {
			p.functions = append(p.functions, s)
		}
	}
	sort.SliceStable(p.functions, func(i, j int) bool { return p.functions[i].Value < p.functions[j].Value })
	if len(p.functions) == 0 {
		return nil, errors.New("its symbol table has no functions of Go's")
	}
	if f.Type == elf.ET_DYN {
		if p.bias, err = loadedAt(proc, f); err != nil {
			return nil, err
		}
	}
	if data, err := f.DWARF(); err == nil {
		p.readM(data)
	}
	return p, nil
}

func (p *program) has(symbol string) bool { return p.symbols[symbol] != 0 }

// loadedAt is how far from its own addresses a position-independent program was loaded.
func loadedAt(proc string, f *elf.File) (uint64, error) {
	exe, err := os.Readlink(proc + "/exe")
	if err != nil {
		return 0, err
	}
	maps, err := os.Open(proc + "/maps")
	if err != nil {
		return 0, err
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || strings.Join(fields[5:], " ") != exe {
			continue
		}
		from, _, _ := strings.Cut(fields[0], "-")
		start, err1 := strconv.ParseUint(from, 16, 64)
		offset, err2 := strconv.ParseUint(fields[2], 16, 64)
		if err := errors.Join(err1, err2); err != nil {
			return 0, err
		}
		for _, s := range f.Progs {
			if s.Type == elf.PT_LOAD && s.Off&^0xfff == offset {
				return start - s.Vaddr&^0xfff, nil
			}
		}
	}
	return 0, fmt.Errorf("%s is in none of its mappings", exe)
}

// names are the functions on a stack; "" for what is not Go's.
func (p *program) names(stack []uint64) []string {
	names := make([]string, len(stack))
	for i, address := range stack {
		address -= p.bias
		if i > 0 {
			address-- // into the call
		}
		if address >= p.low && address < p.high {
			k := sort.Search(len(p.functions), func(k int) bool { return p.functions[k].Value > address })
			if k > 0 {
				names[i] = p.functions[k-1].Name
			}
		}
	}
	return names
}

// readM finds the members of the runtime's m by which Go counts.
func (p *program) readM(data *dwarf.Data) {
	for r := data.Reader(); ; {
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		if e.Tag == dwarf.TagCompileUnit {
			if name, _ := e.Val(dwarf.AttrName).(string); name != "runtime" {
				r.SkipChildren()
			}
			continue
		}
		if name, _ := e.Val(dwarf.AttrName).(string); e.Tag != dwarf.TagStructType || name != "runtime.m" {
			r.SkipChildren()
			continue
		}
		for {
			field, err := r.Next()
			if err != nil || field == nil || field.Tag == 0 {
				return
			}
			at, _ := field.Val(dwarf.AttrDataMemberLoc).(int64)
			switch name, _ := field.Val(dwarf.AttrName).(string); name {
			case "ncgocall":
				p.m.ncgocall = at
			case "alllink":
				p.m.alllink = at
			case "incgo":
				p.m.incgo = at
			}
			r.SkipChildren()
		}
	}
}

// Counters are what the runtime of a process counts.
type counters struct {
	p   *program
	mem *os.File
}

func (p *program) counters(pid int) *counters {
	c := &counters{p: p}
	if p.has("runtime.allm") && p.has("runtime.ncgocall") && p.m.ncgocall != 0 && p.m.alllink != 0 && p.m.incgo != 0 {
		c.mem, _ = os.Open(fmt.Sprintf("/proc/%d/mem", pid)) // nil: nothing is known
	}
	return c
}

func (c *counters) close() {
	if c.mem != nil {
		c.mem.Close()
	}
}

// calls is runtime.NumCgoCall.
func (c *counters) calls() (uint64, bool) {
	var n uint64
	ok := c.each(func(m uint64) { n += c.word(m + uint64(c.p.m.ncgocall)) })
	return n + c.word(c.p.symbols["runtime.ncgocall"]+c.p.bias), ok
}

// inC counts the threads that are in C.
func (c *counters) inC() (n int, ok bool) {
	ok = c.each(func(m uint64) {
		if c.word(m+uint64(c.p.m.incgo))&0xff != 0 {
			n++
		}
	})
	return n, ok
}

// most is how many threads Go lets a program have.
const most = 10_000

// each calls do with each m. The list may change meanwhile: members are only ever put in front, and
// those that are freed stay readable.
func (c *counters) each(do func(m uint64)) bool {
	if c.mem == nil {
		return false
	}
	m := c.word(c.p.symbols["runtime.allm"] + c.p.bias)
	if m == 0 {
		return false
	}
	for range most {
		if m == 0 {
			return true
		}
		do(m)
		m = c.word(m + uint64(c.p.m.alllink))
	}
	return false
}

func (c *counters) word(address uint64) uint64 {
	var b [8]byte
	if c.mem == nil {
		return 0
	}
	if _, err := c.mem.ReadAt(b[:], int64(address)); err != nil {
		return 0
	}
	return binary.NativeEndian.Uint64(b[:])
}
