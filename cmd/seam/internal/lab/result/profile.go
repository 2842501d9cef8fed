package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Profile is where the time of something went: a tree of functions, each with those
// that it calls below it.
type Profile struct {
	Name  string `json:"name"`  // of what was profiled, as a series is named
	Label string `json:"label"` // for people
	Unit  string `json:"unit"`  // of the frames' values
	// Kinds name groups of functions; they say a frame's colour.
	Kinds []string `json:"kinds"`
	// Frames are in an order in which a caller stands before those that it calls.
	Frames []Frame `json:"frames"`
}

// A Frame is a function as its callers called it.
type Frame struct {
	Function string  `json:"function"` // or [Rest]
	Parent   int     `json:"parent"`   // place of the caller in Frames; −1: nobody's
	Kind     int     `json:"kind"`     // place in Kinds
	Value    float64 `json:"value"`    // of the function and all that it calls, in the profile's unit
}

// Rest is the name of a frame for functions that are too small to be listed.
const Rest = "(other)"

// Bounds of a profile: what a picture can show, with room.
const (
	MaxFrames = 400
	MaxDepth  = 48
)

// Total is the value of all that was profiled.
func (p *Profile) Total() float64 {
	total := 0.0
	for _, f := range p.Frames {
		if f.Parent < 0 {
			total += f.Value
		}
	}
	return total
}

// Of returns what the functions of each kind took themselves, without what they called.
func (p *Profile) Of() []float64 {
	list := make([]float64, len(p.Kinds))
	for i, v := range p.Self() {
		list[p.Frames[i].Kind] += v
	}
	return list
}

// Self is the value of each frame without those below it.
func (p *Profile) Self() []float64 {
	self := make([]float64, len(p.Frames))
	for i, f := range p.Frames {
		self[i] += f.Value
		if f.Parent >= 0 {
			self[f.Parent] -= f.Value
		}
	}
	for i := range self {
		self[i] = max(0, self[i]) // what rounding left
	}
	return self
}

// A Call is a function in a stack.
type Call struct {
	Function string
	Kind     int
}

// A Builder adds stacks to a profile.
type Builder struct {
	profile *Profile
	known   map[branch]int // places of frames
}

type branch struct {
	parent int
	call   Call
}

// Build returns what adds to p. It is of no use any more when p has been bounded.
func Build(p *Profile) *Builder {
	b := &Builder{p, make(map[branch]int, len(p.Frames))}
	for i, f := range p.Frames {
		b.known[branch{f.Parent, Call{f.Function, f.Kind}}] = i
	}
	return b
}

// Add adds a stack, the outermost caller first. Bound the profile when all are there.
func (b *Builder) Add(value float64, stack ...Call) {
	at := -1
	for _, c := range stack {
		at = b.child(at, c)
		b.profile.Frames[at].Value += value
	}
}

// child is the place of a function that the frame at parent called.
func (b *Builder) child(parent int, c Call) int {
	key := branch{parent, c}
	i, ok := b.known[key]
	if !ok {
		i = len(b.profile.Frames)
		b.profile.Frames = append(b.profile.Frames, Frame{Function: c.Function, Parent: parent, Kind: c.Kind})
		b.known[key] = i
	}
	return i
}

// Merge adds what another profile of the same thing found. Kinds are told apart by
// their names.
func (p *Profile) Merge(other *Profile) {
	t := Build(p)
	kind := make([]int, len(other.Kinds))
	for i, k := range other.Kinds {
		if kind[i] = slices.Index(p.Kinds, k); kind[i] < 0 {
			kind[i] = len(p.Kinds)
			p.Kinds = append(p.Kinds, k)
		}
	}
	place := make([]int, len(other.Frames))
	for i, f := range other.Frames {
		parent := -1
		if f.Parent >= 0 {
			parent = place[f.Parent]
		}
		place[i] = t.child(parent, Call{f.Function, kind[f.Kind]})
		p.Frames[place[i]].Value += f.Value
	}
	p.Bound(MaxFrames)
}

// Bound puts the frames in order, each caller's largest first, and reduces them to at most
// most: the small ones of one caller are put together as [Rest], and those deeper than
// [MaxDepth] left out. No frame below a thousandth of the whole stays.
func (p *Profile) Bound(most int) {
	depth := make([]int, len(p.Frames))
	var order []int // by value, callers before those that they call; what is rest already last
	for i, f := range p.Frames {
		if f.Parent >= 0 {
			depth[i] = depth[f.Parent] + 1
		}
		if depth[i] < MaxDepth {
			order = append(order, i)
		}
	}
	least := p.Total() / 1000
	size := func(i int) float64 {
		if f := p.Frames[i]; f.Function != Rest && f.Value >= least {
			return f.Value
		}
		return -1
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	place := make([]int, len(p.Frames))
	keep := 0
	for k, i := range order {
		if place[i] = k; size(i) >= 0 {
			keep = k + 1
		}
	}
	for keep > 0 {
		// Each caller whose frames are cut off has one more for the rest.
		rests := map[int]bool{}
		for _, i := range order[keep:] {
			if parent := p.Frames[i].Parent; parent < 0 || place[parent] < keep {
				rests[parent] = true
			}
		}
		if over := keep + len(rests) - most; over > 0 {
			keep -= (over + 1) / 2
			continue
		}
		break
	}
	p.Frames = p.cut(order, keep)
}

// cut returns the first of order, and one frame for the others of each caller.
func (p *Profile) cut(order []int, keep int) []Frame {
	kept := make([]bool, len(p.Frames))
	for _, i := range order[:keep] {
		kept[i] = true
	}
	below := map[int][]int{} // of a caller, the largest first
	rest := map[int]float64{}
	restKind := map[int]int{}
	for k, i := range order {
		parent := p.Frames[i].Parent
		switch {
		case k < keep:
			below[parent] = append(below[parent], i)
		case parent < 0 || kept[parent]:
			if _, ok := restKind[parent]; !ok {
				restKind[parent] = p.Frames[i].Kind // of the largest
			}
			rest[parent] += p.Frames[i].Value
		}
	}
	var frames []Frame
	var put func(old, parent int)
	put = func(old, parent int) {
		for _, i := range below[old] {
			f := p.Frames[i]
			f.Parent = parent
			frames = append(frames, f)
			put(i, len(frames)-1)
		}
		if v, ok := rest[old]; ok {
			frames = append(frames, Frame{Function: Rest, Parent: parent, Kind: restKind[old], Value: v})
		}
	}
	put(-1, -1)
	return frames
}

// Check tells the first thing in a profile that a reader would stumble over.
func (p *Profile) Check() error {
	if !isToken(p.Name) || !isToken(p.Unit) {
		return fmt.Errorf("name %q and unit %q must be words without spaces", p.Name, p.Unit)
	}
	if len(p.Frames) > MaxFrames {
		return fmt.Errorf("%d frames, want %d at most", len(p.Frames), MaxFrames)
	}
	below, depth := make([]float64, len(p.Frames)), make([]int, len(p.Frames))
	for i, f := range p.Frames {
		at := fmt.Sprintf("frame %d", i)
		if err := numbers(at, num{"value", f.Value}); err != nil {
			return err
		}
		switch {
		case f.Value < 0:
			return fmt.Errorf("%s: value is %v, want 0 or more", at, f.Value)
		case f.Parent < -1 || f.Parent >= i:
			return fmt.Errorf("%s: parent is %d, want a frame before it or -1", at, f.Parent)
		case f.Kind < 0 || f.Kind >= len(p.Kinds):
			return fmt.Errorf("%s: kind is %d of %d", at, f.Kind, len(p.Kinds))
		case f.Parent < 0:
			continue
		}
		if depth[i] = depth[f.Parent] + 1; depth[i] >= MaxDepth {
			return fmt.Errorf("%s: %d callers above it, want less than %d", at, depth[i], MaxDepth)
		}
		// Sums of many numbers are not exact.
		if below[f.Parent] += f.Value; below[f.Parent] > p.Frames[f.Parent].Value*(1+1e-9) {
			return fmt.Errorf("%s: those that frame %d calls have more than it, %v", at, f.Parent, p.Frames[f.Parent].Value)
		}
	}
	if math.IsInf(p.Total(), 0) {
		return fmt.Errorf("the total is %v", p.Total())
	}
	return nil
}
