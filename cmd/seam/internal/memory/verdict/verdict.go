// Package verdict tells from a history of where a process's memory is why it grows. It is a
// function of the figures alone: how they were read is package account's.
package verdict

import (
	"fmt"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/growth"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A Class is why memory grows.
type Class string

// The classes.
const (
	Steady        Class = "steady"        // it doesn't grow
	Leak          Class = "leak"          // C holds more and more
	Cache         Class = "cache"         // what C holds grew and came to rest, or grows ever more slowly
	Fragmentation Class = "fragmentation" // the allocator keeps more and more that nobody uses
	ThreadStacks  Class = "thread stacks"
	HugePages     Class = "huge pages" // the kernel gives more than was touched
	MappedFile    Class = "mapped file"
	GoSide        Class = "go"       // Go's heap: its own profile knows more
	Mapped        Class = "mappings" // anonymous ones that belong to nobody known
	Malloc        Class = "malloc"   // its heaps, which could not be read: held or kept free
	Unclear       Class = "unclear"
)

// Grows reports whether memory was seen to grow until the end.
func (c Class) Grows() bool { return c != Steady && c != Cache && c != Unclear && c != "" }

// A Sample is what there was at a moment, in bytes.
type Sample struct {
	At time.Duration // since the first

	RSS, CUsed, CFree, Stacks, Files, Go, Anonymous uint64
	CUnread                                         uint64 // of malloc's heaps that could not be read, in use or not
	Huge, Trim                                      uint64 // of what is above
	Threads                                         uint64
}

// What it takes. Below it nothing is said, and why.
const (
	LeastRun     = 2 * time.Second
	LeastSamples = 8
	mostGap      = 5         // a part of the run that may go by without a look
	leastGrowth  = 1 << 20   // RSS goes up and down by less in any program
	leastDoubt   = 128 << 10 // less than leastGrowth, but worth a longer look if it rises until the end
)

// StillFilling is what the evidence of a Leak leaves open, as its end.
const StillFilling = "; a cache that isn't full yet does so, too"

// A Verdict is why memory grows, and the evidence in a sentence without a full stop.
type Verdict struct {
	Class    Class  `json:"class"`
	Evidence string `json:"evidence"`
	Grew     int64  `json:"grew"` // RSS, from the first sample to the last
}

// part is one way to look at samples.
type part struct {
	class   Class
	outside bool   // neither Go's own nor pages of files
	what    string // it is, as the subject of a sentence
	of      func(*Sample) uint64
	more    func(first, last *Sample) string // of the evidence, where there is more
}

var parts = []part{
	{Leak, true, "what C has from malloc and doesn't free", func(s *Sample) uint64 { return s.CUsed }, func(*Sample, *Sample) string { return StillFilling }},
	{Fragmentation, true, "what malloc keeps and nobody uses", func(s *Sample) uint64 { return s.CFree }, func(a, b *Sample) string {
		return fmt.Sprintf("; what is in use from %s to %s; of the former %s are whole pages, which malloc_trim can give back", bytes(a.CUsed), bytes(b.CUsed), bytes(b.Trim))
	}},
	{Malloc, true, "malloc's heaps that could not be read", func(s *Sample) uint64 { return s.CUnread }, func(a, b *Sample) string {
		return "; how much of that C holds, and how much malloc keeps free, isn't known"
	}},
	{ThreadStacks, true, "stacks of threads", func(s *Sample) uint64 { return s.Stacks }, func(a, b *Sample) string {
		return fmt.Sprintf("; threads rose from %d to %d", a.Threads, b.Threads)
	}},
	{MappedFile, false, "pages of mapped files", func(s *Sample) uint64 { return s.Files }, func(a, b *Sample) string {
		return "; the kernel takes them back when it needs memory"
	}},
	{GoSide, false, "Go's heap", func(s *Sample) uint64 { return s.Go }, func(a, b *Sample) string {
		return ": its own profile (/debug/pprof/heap) says by what"
	}},
	{Mapped, true, "anonymous mappings that are neither glibc's malloc's nor Go's nor a stack", func(s *Sample) uint64 { return s.Anonymous }, nil},
}

// rose says by how much a part did.
func (p *part) rose(a, b *Sample) string {
	return fmt.Sprintf("%s rose from %s to %s", p.what, bytes(p.of(a)), bytes(p.of(b)))
}

func (p *part) evidence(a, b *Sample) string {
	if p.more == nil {
		return p.rose(a, b)
	}
	return p.rose(a, b) + p.more(a, b)
}

func bytes(n uint64) string { return quantity.Tick(float64(n), "B") }

// Of judges a history, oldest sample first.
func Of(list []Sample) Verdict {
	if len(list) == 0 {
		return Verdict{Class: Unclear, Evidence: "there are no samples"}
	}
	first, last := &list[0], &list[len(list)-1]
	v := Verdict{Grew: int64(last.RSS) - int64(first.RSS)}
	if why := tooFew(list); why != "" {
		v.Class, v.Evidence = Unclear, why
		return v
	}
	wall := last.At - first.At
	// What has grown most since start-up.
	quarter := at(list, wall/4)
	var most *part
	grew := uint64(0)
	for i := range parts {
		p := &parts[i]
		if a, b := p.of(quarter), p.of(last); b > a && b-a > grew {
			most, grew = p, b-a
		}
	}
	ask := func(of func(*Sample) uint64, least uint64) (growth.Shape, string) { return judge(list, of, least) }
	calm := func(shape growth.Shape, why string) Verdict {
		c := v.calm(list, shape, why)
		for i := range parts { // each of them: the largest growth may hide one that goes on
			if c.Class != Steady {
				break
			}
			if shape, _ := ask(parts[i].of, leastDoubt); shape == growth.Rises || shape == growth.Little {
				c.Class, c.Evidence = Unclear, parts[i].rose(quarter, last)+", until the end, by too little beside the rest to call it; let it run for longer"
			}
		}
		return c
	}
	whole, why := ask(func(s *Sample) uint64 { return s.RSS }, leastGrowth)
	if most == nil || grew < leastGrowth {
		if why != "" {
			why = "of RSS: " + why
		}
		return calm(whole, why)
	}
	shape, partWhy := ask(most.of, leastGrowth)
	switch {
	case shape == growth.Rises:
		v.Class, v.Evidence = most.class, most.evidence(quarter, last)
		huge := int64(last.Huge) - int64(quarter.Huge)
		if most.class != GoSide && huge > 0 && uint64(huge)*10 >= grew*9 && whole == growth.Rises && most.class != Leak {
			v.Class = HugePages
			v.Evidence = fmt.Sprintf("transparent huge pages rose from %s to %s, which is all the growth: the kernel gives 2 MiB where less is touched", bytes(quarter.Huge), bytes(last.Huge))
		}
	case whole == growth.Rises:
		v.Class, v.Evidence = Unclear, "RSS rises until the end, but no one part of it does so by enough and evenly; the largest growth: "+most.rose(quarter, last)
		if partWhy != "" {
			v.Evidence += " (" + partWhy + ")"
		}
	default:
		if partWhy != "" {
			partWhy = most.rose(quarter, last) + ": " + partWhy
		}
		return calm(shape, partWhy)
	}
	return v
}

func tooFew(list []Sample) string {
	var looks []time.Duration
	for i := range list {
		looks = append(looks, list[i].At)
	}
	return TooFew(looks)
}

// TooFew says why looks at these times are no history, or "". A busy machine may have left a part of it out.
func TooFew(looks []time.Duration) string {
	wall, gap := looks[len(looks)-1]-looks[0], time.Duration(0)
	for i := 1; i < len(looks); i++ {
		gap = max(gap, looks[i]-looks[i-1])
	}
	switch {
	case wall < LeastRun || len(looks) < LeastSamples:
		return fmt.Sprintf("%d looks in %s do not say: it takes at least %d, over at least %s", len(looks), wall.Round(time.Millisecond), LeastSamples, LeastRun)
	case gap > wall/mostGap:
		return fmt.Sprintf("%d looks in %s do not say: for %s there was none", len(looks), wall.Round(time.Millisecond), gap.Round(time.Millisecond))
	}
	return ""
}

func judge(list []Sample, of func(*Sample) uint64, least uint64) (growth.Shape, string) {
	wall := list[len(list)-1].At - list[0].At
	return growth.Judge(growth.Question{Wall: wall, Say: bytes, Least: least, At: func(ns int64) uint64 { return of(at(list, time.Duration(ns))) }})
}

// Outside reports whether memory that is neither Go's own nor pages of files is seen to rise until the end.
// Where that can't be told it says why; otherwise each part of it came to rest, or nearly. Of says what
// grew most, and that may be Go's while C's grows beside it.
func Outside(list []Sample) (rises bool, unclear string) {
	if len(list) == 0 {
		return false, "there are no samples"
	}
	if why := tooFew(list); why != "" {
		return false, why
	}
	last := &list[len(list)-1]
	quarter := at(list, (last.At-list[0].At)/4)
	for i := range parts {
		p := &parts[i]
		if !p.outside || p.of(last) < p.of(quarter)+leastDoubt {
			continue
		}
		switch shape, why := judge(list, p.of, leastDoubt); shape {
		case growth.Rises:
			rises = true
		case growth.Little, growth.Unclear:
			unclear = p.rose(quarter, last) + ": " + why
		}
	}
	return rises, unclear
}

// calm is the verdict where nothing is seen to grow until the end.
func (v Verdict) calm(list []Sample, shape growth.Shape, why string) Verdict {
	first, last := &list[0], &list[len(list)-1]
	switch {
	case shape == growth.Slows && last.CUsed > first.CUsed+leastGrowth,
		shape != growth.Rises && settled(list):
		v.Class = Cache
		v.Evidence = fmt.Sprintf("what C holds rose from %s to %s and came to rest, or nearly: a cache that has filled does so", bytes(first.CUsed), bytes(last.CUsed))
	case shape == growth.Rests, last.RSS <= first.RSS+leastGrowth:
		v.Class, v.Evidence = Steady, "no part is seen to rise until the end, by "+bytes(leastDoubt)+" or more"
	case why != "":
		v.Class, v.Evidence = Unclear, why
	default: // RSS rises or slows, and no part by enough
		v.Class, v.Evidence = Unclear, fmt.Sprintf("RSS rose from %s to %s, and no one part of it by %s since the first quarter of the run", bytes(first.RSS), bytes(last.RSS), bytes(leastGrowth))
	}
	return v
}

// kept is the least that C held from one part of the run on to another, of 1: what was released
// now and then is not in it.
func kept(list []Sample, from, to float64) uint64 {
	first := list[0].At
	part := func(x float64) time.Duration { return time.Duration(x * float64(list[len(list)-1].At-first)) }
	least := at(list, part(from)).CUsed
	for i := range list {
		if after := list[i].At - first; after >= part(from) && after <= part(to) {
			least = min(least, list[i].CUsed)
		}
	}
	return least
}

// settled reports whether what C holds grew, most of it in the first half.
func settled(list []Sample) bool {
	first, middle, last := list[0].CUsed, kept(list, 0.35, 0.6), kept(list, 0.8, 1)
	return middle > first+max(leastGrowth, first/5) && last < middle+(middle-first)/5
}

// at is the last sample that is not later than some time after the first.
func at(list []Sample, after time.Duration) *Sample {
	i := 0
	for i+1 < len(list) && list[i+1].At-list[0].At <= after {
		i++
	}
	return &list[i]
}
