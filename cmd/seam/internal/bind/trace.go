package bind

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Programs with package dl count and time their calls in a file (SEAM_TRACE=FILE, dl/trace.go). By that
// functions of a bind.seam become leaves: by what was seen, since there is no C here to prove anything by.

// A Called is what such a file knows of a function.
type Called struct {
	Library, Name            string
	Calls, Timed, NS         uint64 // NS of those that were timed
	Longest                  time.Duration
	Late, Slow, CallGo       uint64  // calls of more than 5 µs, of more than 50 µs, and that called Go
	MachineLate, MachineSlow float64 // calls that would have been so if C had returned at once
}

const (
	traceMagic = "seam dl trace 1\n"
	traceHead  = 4096
	tracePlace = 256
	traceMost  = 4096
)

// ReadTrace reads a file that a program with package dl wrote.
func ReadTrace(name string) ([]Called, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(text, []byte(traceMagic)) || len(text) < traceHead {
		return nil, fmt.Errorf("%s is no file that a program with package dl wrote with SEAM_TRACE=FILE", name)
	}
	number := func(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }
	word := func(b []byte) string { return string(bytes.TrimRight(b, "\x00")) }
	n := number(text[len(traceMagic):])
	if n > traceMost || traceHead+int(n)*tracePlace > len(text) {
		return nil, fmt.Errorf("%s is cut off, or of another kind of machine", name)
	}
	// What share of calls the machine made late: that of calls that return at once.
	share := func(of int) float64 { return float64(number(text[of:])) / float64(max(number(text[24:]), 1)) }
	late, slow := share(32), share(40)
	var list []Called
	for i := range int(n) {
		p := text[traceHead+i*tracePlace:][:tracePlace]
		list = append(list, Called{
			Library: word(p[:64]), Name: word(p[64:184]), Calls: number(p[184:]), NS: number(p[192:]),
			Longest: time.Duration(number(p[200:])), Late: number(p[208:]), Slow: number(p[216:]), CallGo: number(p[224:]), Timed: number(p[232:]),
		})
		c := &list[i]
		c.MachineLate, c.MachineSlow = float64(c.Timed)*late, float64(c.Timed)*slow
	}
	return list, nil
}

// A Chosen is a function of a bind.seam with what was seen of it, and what follows.
type Chosen struct {
	Called
	Mode string // in the package as it is
	Leaf bool   // it can be a leaf
	Why  string // or why not
}

// MinCalls is how often a function must have been called to become a leaf.
const MinCalls = 1000

// byMachine is how many calls the machine may have made late, if it is to be expected of m. A function that
// takes some time itself is met more often than the control.
func byMachine(m float64) float64 { return 2*m + 3*math.Sqrt(m) + 3 }

// judge says whether a function can be a leaf, by the limits of seam plan.
func judge(c Called, least uint64) (bool, string) {
	switch {
	case c.CallGo > 0:
		return false, fmt.Sprintf("it called Go in %d of %s", c.CallGo, quantity.Plural(c.Calls, "call"))
	case c.Calls < least:
		return false, fmt.Sprintf("it was called %s, and %d are wanted", quantity.Plural(c.Calls, "time"), least)
	case float64(c.Late) > float64(c.Timed)/1000+byMachine(c.MachineLate):
		return false, fmt.Sprintf("%d of %s took more than 5 µs, %.0f of them as the machine was busy", c.Late, quantity.Plural(c.Timed, "call"), c.MachineLate)
	case float64(c.Slow) > float64(c.Timed)/10_000+byMachine(c.MachineSlow):
		return false, fmt.Sprintf("%d of %s took more than 50 µs, %.0f of them as the machine was busy", c.Slow, quantity.Plural(c.Timed, "call"), c.MachineSlow)
	}
	return true, ""
}

var boundCall = regexp.MustCompile(`= dl\.Optional(Leaf)?\[\w+\]\(lib, "(\w+)"(?:, dl\.Bound\((\d+)\))?\)`)

const (
	planBegin = "# seam plan: leaves by what was seen; these lines are written anew"
	planEnd   = "# seam plan: end"
)

// PlanFile chooses modes for the functions of a bind.seam by traces. It returns the file with them, and what
// was seen of each function.
func PlanFile(name string, traces []string, least uint64) (text []byte, list []Chosen, err error) {
	text, err = os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	// What people have said stays. So the lines of an earlier plan go first.
	if begin := bytes.Index(text, []byte(planBegin)); begin >= 0 {
		end := bytes.Index(text[begin:], []byte(planEnd+"\n"))
		if end < 0 {
			return nil, nil, fmt.Errorf("%s: there is no line %q below %q: put it back, or remove both", name, planEnd, planBegin)
		}
		text = slices.Concat(bytes.TrimRight(text[:begin], "\n"), []byte("\n"), text[begin+end+len(planEnd)+1:])
	}
	f, err := ParseFile(name, text)
	if err != nil {
		return nil, nil, err
	}
	if f.Via == "cgo" {
		return nil, nil, fmt.Errorf("%s: the package is made via cgo: seam trace and seam plan, without --bind, choose its modes", name)
	}
	modes, err := boundModes(filepath.Dir(name))
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]*Called{}
	for _, t := range traces {
		all, err := ReadTrace(t)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range all {
			switch x := seen[c.Name]; {
			case modes[c.Name] == "":
			case x == nil:
				seen[c.Name] = &c
			default:
				x.Calls, x.Timed, x.NS, x.Longest = x.Calls+c.Calls, x.Timed+c.Timed, x.NS+c.NS, max(x.Longest, c.Longest)
				x.Late, x.Slow, x.CallGo = x.Late+c.Late, x.Slow+c.Slow, x.CallGo+c.CallGo
				x.MachineLate, x.MachineSlow = x.MachineLate+c.MachineLate, x.MachineSlow+c.MachineSlow
			}
		}
	}
	if len(seen) == 0 {
		return nil, nil, fmt.Errorf("%s: none of the %s of the package is in %s", name, quantity.Plural(len(modes), "function"), strings.Join(traces, ", "))
	}
	var leaves strings.Builder
	for c, x := range seen {
		y := Chosen{Called: *x, Mode: modes[c]}
		y.Leaf, y.Why = judge(*x, least)
		if d := f.said(c); d.Pattern == c && d.Mode != "leaf" && y.Leaf {
			y.Leaf, y.Why = false, fmt.Sprintf("line %d says %s", d.line, d.Mode)
		} else if y.Leaf && f.callsBack(c) {
			y.Leaf, y.Why = false, "bind.seam describes a callback of it"
		}
		list = append(list, y)
	}
	slices.SortFunc(list, func(a, b Chosen) int { return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(a.Name, b.Name)) })
	for _, y := range list {
		if y.Leaf && f.said(y.Name).Mode != "leaf" {
			fmt.Fprintf(&leaves, "leaf %s # %s, longest %v\n", y.Name, quantity.Plural(y.Calls, "call"), y.Longest.Round(100*time.Nanosecond))
		}
	}
	if leaves.Len() > 0 {
		text = slices.Concat(bytes.TrimRight(text, "\n"), []byte("\n\n"+planBegin+"\n"+leaves.String()+planEnd+"\n"))
	}
	return text, list, nil
}

// said is the line that says a function's mode; none if there is none.
func (f *File) said(c string) (said Mode) {
	for _, m := range f.Modes {
		if m.Pattern == c || matches(m.Pattern, c) && said.Pattern != c {
			said = m
		}
	}
	return said
}

// callsBack reports whether a function is described with a Go function that it calls.
func (f *File) callsBack(c string) bool {
	return slices.ContainsFunc(f.Funcs, func(d *Described) bool {
		return matches(d.Pattern, c) && slices.ContainsFunc(d.Params, func(p Param) bool { return p.Kind == "callback" })
	})
}

// boundModes are the functions of the package in a folder, with their modes.
func boundModes(dir string) (map[string]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	modes := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if !bytes.HasPrefix(text, []byte("// Code generated by seam bind")) {
			continue
		}
		for _, m := range boundCall.FindAllStringSubmatch(string(text), -1) {
			mode := "cgo"
			if m[1] != "" {
				mode = "leaf"
			} else if m[3] != "" {
				mode = "offload:" + m[3]
			}
			modes[m[2]] = mode
		}
	}
	if len(modes) == 0 {
		return nil, errors.New("there is no package of seam bind in " + dir + ": make it first, by seam bind")
	}
	return modes, nil
}
