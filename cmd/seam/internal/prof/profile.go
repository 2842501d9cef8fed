// Package prof reads what programs record that were built by package inject, and shows it: a
// profile with the frames of Go and C in one stack, as pprof file, folded stacks, speedscope's
// JSON, a table, and a page.
package prof

import (
	"slices"
	"strings"
	"time"
)

// A Type is what a value of a sample counts.
type Type struct{ Name, Unit string }

// CPU is the type that each profile has, first: time that threads ran.
var CPU = Type{"cpu", "nanoseconds"}

// Wall is time that goroutines wait, in Go or in C.
var Wall = Type{"wall", "nanoseconds"}

// Crossings is the part of CPU that is neither Go's nor C's own work but the way between them.
var Crossings = Type{"crossings", "nanoseconds"}

// A Frame is a function in a stack.
type Frame struct {
	Func, File string
	Line       int
	Kind       Kind
}

// A Stack is one that was met, innermost frame first, and how much of each type it stands for.
type Stack struct {
	Frames []int // of the profile's
	Labels map[string][]string
	Values []int64
}

// A Profile is that of a run: all its processes together.
type Profile struct {
	Types    []Type
	Frames   []Frame
	Stacks   []*Stack
	Start    time.Time
	Duration time.Duration // from the first sample's stretch to the last one's
	Period   int64         // nanoseconds of CPU time a sample
	Own      int64         // nanoseconds of CPU time that recording took, which are left out
	Deaf     int64         // nanoseconds of threads that took no samples, which have their names in the place of functions
	Program  string        // the first
	Count    int           // of processes
	Gaps     []string      // what is missing
	Notes    []string      // what else to know about it
	Blind    bool          // in some process C was not seen
	Lost     string        // the processes of which nothing is there, and why

	frames map[Frame]int
	stacks map[string]*Stack
}

// New makes an empty profile.
func New(types ...Type) *Profile {
	return &Profile{Types: types, frames: map[Frame]int{}, stacks: map[string]*Stack{}}
}

// Add adds a stack, innermost frame first.
func (p *Profile) Add(frames []Frame, labels map[string][]string, values ...int64) {
	var key strings.Builder
	list := make([]int, len(frames))
	for i, f := range frames {
		n, known := p.frames[f]
		if !known {
			n = len(p.Frames)
			p.frames[f] = n
			p.Frames = append(p.Frames, f)
		}
		list[i] = n
		key.WriteRune(rune(n&0x7fff) + 1)
		key.WriteRune(rune(n>>15) + 1)
	}
	for _, name := range sortedKeys(labels) {
		key.WriteString("\x00" + name + "\x00" + strings.Join(labels[name], "\x00"))
	}
	s := p.stacks[key.String()]
	if s == nil {
		s = &Stack{Frames: list, Labels: labels, Values: make([]int64, len(p.Types))}
		p.stacks[key.String()] = s
		p.Stacks = append(p.Stacks, s)
	}
	for i, v := range values {
		s.Values[i] += v
	}
}

func sortedKeys(m map[string][]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Of returns the number of a type, -1 if the profile has none.
func (p *Profile) Of(t Type) int { return slices.Index(p.Types, t) }

// Total is the sum of a type's values.
func (p *Profile) Total(of int) (sum int64) {
	for _, s := range p.Stacks {
		sum += s.Values[of]
	}
	return sum
}

// KindOf says where a stack's own time goes. What the runtime does between a call and its
// function belongs to the crossing, be it a call of the kernel.
func (p *Profile) KindOf(s *Stack) Kind {
	for _, n := range s.Frames {
		f := p.Frames[n]
		if f.Kind == Crossing {
			return Crossing
		}
		if !ofRuntime(f.Func) {
			break
		}
	}
	if len(s.Frames) == 0 {
		return Go
	}
	return p.Frames[s.Frames[0]].Kind
}

// AddCrossings makes a type of the time that stacks spend in crossings.
func (p *Profile) AddCrossings() {
	p.Types = append(p.Types, Crossings)
	for _, s := range p.Stacks {
		var v int64
		if p.KindOf(s) == Crossing {
			v = s.Values[0]
		}
		s.Values = append(s.Values, v)
	}
}

// Shares is how much of a type goes to each kind, of 1.
func (p *Profile) Shares(of int) (shares [kinds]float64) {
	total := float64(max(1, p.Total(of)))
	for _, s := range p.Stacks {
		shares[p.KindOf(s)] += float64(s.Values[of]) / total
	}
	return shares
}
