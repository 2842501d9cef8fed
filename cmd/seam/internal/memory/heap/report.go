package heap

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/growth"
	"github.com/seamgo/seam/cmd/seam/internal/memory"
	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/cmd/seam/internal/memory/verdict"
	"github.com/seamgo/seam/cmd/seam/internal/prof"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Schema is the format of [Report.Encode].
const Schema = "seam.heap/1"

// A Report is what one process has allocated.
type Report struct {
	Schema  string        `json:"schema"`
	Seam    string        `json:"seam"`
	Command []string      `json:"command,omitempty"`
	PID     int           `json:"pid"`
	Start   time.Time     `json:"start"`
	Exe     string        `json:"exe"`
	Go      string        `json:"go,omitempty"` // the version that built it
	Rate    uint64        `json:"rate"`         // bytes a sample; 1: every block
	Live    int64         `json:"live"`         // bytes at the end
	Peak    int64         `json:"peak"`         // within 2 %
	PeakAt  time.Duration `json:"peak_at_ns"`   // since the process's start
	Sites   []*Place      `json:"sites"`        // those with the most live bytes first
	Samples []Sample      `json:"samples"`

	Verdict *verdict.Verdict `json:"verdict,omitempty"`
	Account *memory.Report   `json:"account,omitempty"` // of the same process, as seam rss has it
	Others  []Other          `json:"others,omitempty"`  // processes that were recorded beside this one
	Missing []string         `json:"missing,omitempty"` // processes of which nothing was, and why
	Notes   []string         `json:"notes,omitempty"`

	moments []time.Duration // of some looks, since the process's start
	quarter int             // of the moments, from where Grew counts
}

// A Place is a stack that has allocated.
type Place struct {
	Where
	Mapped       bool          `json:"mapped,omitempty"` // by mmap: what is mapped need not be touched
	Live         int64         `json:"live"`
	LiveObjects  int64         `json:"live_objects"`
	Bytes        int64         `json:"bytes"` // ever
	Objects      int64         `json:"objects"`
	Short        int64         `json:"temporary"` // freed by the same thread before it had allocated 4 KiB more
	ShortObjects int64         `json:"temporary_objects"`
	Peak         int64         `json:"peak"` // live at the process's peak
	Grew         int64         `json:"grew"` // since the first quarter of the run; 0 of a few looks
	Samples      uint64        `json:"samples"`
	Class        verdict.Class `json:"class,omitempty"` // leak, cache or steady; of more than a few looks
	Stack        []prof.Frame  `json:"stack"`           // innermost first

	then []int64 // live at the report's moments
}

// A Sample is what was live at a look.
type Sample struct {
	NS   int64 `json:"ns"` // since the process began
	Live int64 `json:"live"`
}

// An Other is a process that the report isn't of.
type Other struct {
	PID  int    `json:"pid"`
	Exe  string `json:"exe"`
	Live int64  `json:"live"`
	Peak int64  `json:"peak"`

	Class verdict.Class `json:"class,omitempty"` // of its blocks, as of a stack's
	Grew  int64         `json:"grew,omitempty"`  // they, since the first quarter of the run
}

// Encode writes the report as JSON.
func (r *Report) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// ErrNone is that nothing was recorded.
var ErrNone = errors.New("no process has recorded anything")

// Report is on the process that rss is of, if it has recorded; else on that with the highest
// peak. It may be nil.
func (w *Watcher) Report(rss *memory.Report) (*Report, error) {
	var best *watch
	var damaged error
	accounted := w.of(rss)
	score := func(x *watch) int64 {
		if x == accounted {
			return math.MaxInt64
		}
		return x.last.Peak
	}
	for _, x := range w.watches {
		switch {
		case x.last == nil:
			damaged = cmp.Or(damaged, x.damaged)
		case best == nil || score(x) > score(best) || score(x) == score(best) && x.name < best.name:
			best = x
		}
	}
	missing := w.missing(rss)
	if best == nil {
		if len(missing) > 0 && len(w.silent) > 0 {
			damaged = cmp.Or(damaged, fmt.Errorf("nothing was recorded %s", missing[0]))
		}
		return nil, cmp.Or(damaged, ErrNone)
	}
	r := best.report(w.own)
	r.Missing = missing
	for _, x := range w.watches {
		if x != best && x.last != nil {
			o := Other{PID: x.last.PID, Exe: x.last.Exe, Live: x.last.Live, Peak: x.last.Peak}
			if blocks := x.sum(false); x.last.samples() >= leastTaken {
				o.Class, o.Grew = x.class(blocks), x.grew(blocks)
			}
			r.Others = append(r.Others, o)
		}
	}
	slices.SortFunc(r.Others, func(a, b Other) int { return cmp.Or(cmp.Compare(b.Peak, a.Peak), cmp.Compare(a.PID, b.PID)) })
	if best == accounted {
		r.Account = rss
	}
	r.judge(best)
	return r, nil
}

// of is the watch of the process that rss is of. In another namespace of processes it has another number:
// there the only record of the same program is it.
func (w *Watcher) of(rss *memory.Report) (of *watch) {
	if rss == nil {
		return nil
	}
	same, exe := 0, strings.TrimSuffix(rss.Last.Exe, " (deleted)")
	for _, x := range w.watches {
		if x.last == nil || x.last.Exe != exe && exe != "" {
			continue
		}
		if x.last.PID == rss.Last.PID {
			return x
		}
		same++
		of = x
	}
	if same != 1 || rss.Last.Of(account.Own) == 0 {
		return nil
	}
	return of
}

// leastUnseen is how much a process has to grow to be told of: each has its C library's and Go's tables.
const leastUnseen = 1 << 20

// missing are sentences on processes of which nothing was recorded: those that have left word, and one that
// hasn't, if it grew most.
func (w *Watcher) missing(rss *memory.Report) (list []string) {
	by := map[string][]silent{}
	for _, s := range w.silent {
		by[s.why()] = append(by[s.why()], s)
	}
	for _, why := range slices.Sorted(maps.Keys(by)) {
		some := by[why]
		slices.SortFunc(some, func(a, b silent) int { return cmp.Compare(a.pid, b.pid) })
		others := ""
		if n := len(some) - 1; n > 0 {
			others = " and of " + quantity.Plural(n, "other")
		}
		list = append(list, fmt.Sprintf("of process %d (%s)%s: %s", some[0].pid, base(some[0].exe), others, why))
	}
	if rss == nil || rss.Last.Of(account.Own) > 0 || w.of(rss) != nil {
		return list
	}
	grew := int64(rss.Last.RSS) - int64(rss.First.RSS)
	if word := slices.ContainsFunc(slices.Collect(maps.Values(w.silent)), func(s silent) bool { return s.pid == rss.Last.PID }); !word && grew >= leastUnseen {
		list = append(list, fmt.Sprintf("of process %d (%s), which grew most, by %s: it is linked statically, has privileges of its own, or was started without its parent's environment", rss.Last.PID, base(rss.Last.Exe), size(grew)))
	}
	return list
}

func (w *watch) report(own []Function) *Report {
	l := w.last
	r := &Report{Schema: Schema, PID: l.PID, Start: l.Start, Exe: l.Exe, Go: l.Go, Rate: l.Rate, Live: l.Live, Peak: max(l.Peak, l.Live), PeakAt: l.PeakAt}
	n := newNamer(l, w.program())
	long := len(w.at) >= verdict.LeastSamples
	quarter := w.before(w.wall() / 4)
	looks := w.moments()
	for k, look := range looks {
		r.moments = append(r.moments, w.at[look])
		if w.at[look]-w.at[0] <= w.wall()/4 {
			r.quarter = k
		}
	}
	for i := range l.Sites {
		s := &l.Sites[i]
		if s.Objects == 0 {
			continue
		}
		frames := n.stack(s)
		if s.Mapped && ofRuntime(frames) {
			w.leaveOut(r, i)
			continue
		}
		place := where(s, frames)
		if s.named > 0 && s.named <= len(own) {
			place.C = own[s.named-1].Name + " in " + cmp.Or(place.C, "code that isn't known")
		}
		p := &Place{Where: place, Mapped: s.Mapped, Live: s.Live, LiveObjects: s.LiveObjects, Bytes: s.Bytes, Objects: s.Objects,
			Short: s.Short, ShortObjects: s.ShortObjects, Peak: s.Peak, Samples: s.Samples, Stack: frames}
		for _, look := range looks {
			p.then = append(p.then, int64(of(w.live[look], i)))
		}
		if long {
			p.Grew = s.Live - int64(of(quarter, i))
		}
		p.Class = w.class(func(live []int64) uint64 { return of(live, i) })
		r.Sites = append(r.Sites, p)
	}
	slices.SortStableFunc(r.Sites, func(a, b *Place) int {
		return cmp.Or(cmp.Compare(b.Live, a.Live), cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.String(), b.String()))
	})
	for i, at := range w.at {
		s := Sample{NS: int64(at)}
		for _, v := range w.live[i] {
			s.Live += v
		}
		r.Samples = append(r.Samples, s)
	}
	r.Notes = slices.Concat(n.notes, l.notes(), unseen(own, l.Named))
	return r
}

// ofRuntime reports whether Go's runtime has mapped something for itself. In a program of Go's the library
// knows; of Go in a library for C it doesn't.
func ofRuntime(frames []prof.Frame) bool {
	return slices.ContainsFunc(frames[:min(2, len(frames))], func(f prof.Frame) bool { return f.Func == "x_cgo_mmap" })
}

// leaveOut takes a site's memory out of the sums.
func (w *watch) leaveOut(r *Report, site int) {
	s := &w.last.Sites[site]
	r.Live -= s.Live
	r.Peak -= min(r.Peak, s.Peak)
	for _, live := range w.live {
		if site < len(live) {
			live[site] = 0
		}
	}
}

// program is a file that stays when the program's is removed.
func (w *watch) program() string {
	if strings.HasSuffix(w.name, "/") {
		return w.name + "exe"
	}
	return w.name + ".exe"
}

// notes are what the record itself says is missing.
func (l *Record) notes() (list []string) {
	if l.Note == Bypassed {
		list = append(list, fmt.Sprintf("%s has a malloc of its own, which is used instead of the one that counts: what goes through it isn't seen", l.Allocator))
	} else if l.Note != "" {
		list = append(list, l.Note)
	} else if l.Allocator != "" {
		list = append(list, fmt.Sprintf("the allocator is %s: what C++ gets from an operator new of its own isn't seen", l.Allocator))
	}
	if l.Go != "" && l.GoLow == 0 {
		list = append(list, "where Go's functions are was not found: stacks end at them")
	}
	if l.LostBlocks > 0 {
		list = append(list, fmt.Sprintf("for %s (%s) there was no room: live bytes are too low by what of them is live", quantity.Plural(int(l.LostBlocks), "sample"), size(int64(l.LostBytes))))
	}
	if l.LostStacks > 0 {
		list = append(list, fmt.Sprintf("there was no room for more stacks %s: those blocks are without one", quantity.Plural(int(l.LostStacks), "time")))
	}
	if l.LostMaps > 0 {
		list = append(list, fmt.Sprintf("%s not counted", quantity.Plural(int(l.LostMaps), "mapping was", "mappings were")))
	}
	return list
}

const leastGrowth = 64 << 10 // of a site

// shape judges a history; ok is false where it is too short.
func (w *watch) shape(of func(live []int64) uint64) (shape growth.Shape, why string, ok bool) {
	if why := verdict.TooFew(w.at); why != "" {
		return growth.Unclear, why, false
	}
	shape, why = growth.Judge(growth.Question{Wall: w.wall(), Least: leastGrowth, Say: func(n uint64) string { return size(int64(n)) },
		At: func(ns int64) uint64 { return of(w.before(time.Duration(ns))) }})
	return shape, why, true
}

func (w *watch) class(of func(live []int64) uint64) verdict.Class {
	switch shape, _, ok := w.shape(of); {
	case !ok:
		return ""
	case shape == growth.Rises:
		return verdict.Leak
	case shape == growth.Slows:
		return verdict.Cache
	case shape == growth.Rests:
		return verdict.Steady
	}
	return verdict.Unclear
}

// sum is of a look what all blocks, or all mappings, have.
func (w *watch) sum(mapped bool) func(live []int64) uint64 {
	return func(live []int64) (sum uint64) {
		for i := range live {
			if w.last.Sites[i].Mapped == mapped {
				sum += of(live, i)
			}
		}
		return sum
	}
}

// grew is by how much that rose since the first quarter of the run.
func (w *watch) grew(of func(live []int64) uint64) int64 {
	return int64(of(w.before(w.wall()))) - int64(of(w.before(w.wall()/4)))
}

// judge joins what the account says with the sites.
func (r *Report) judge(w *watch) {
	// Of blocks and mappings what has grown more.
	most, what, class := w.sum(false), "what C has allocated and not freed", verdict.Leak
	if m := w.sum(true); w.grew(m) > max(0, w.grew(most)) {
		most, what, class = m, "what is mapped by mmap and not unmapped", verdict.Mapped
	}
	shape, why, told := w.shape(most)
	v := verdict.Verdict{Class: verdict.Unclear, Evidence: why, Grew: w.grew(most)}
	if r.Account != nil && r.Account.Verdict != nil {
		v = *r.Account.Verdict
	}
	few := class == verdict.Leak && w.last.samples() < leastTaken
	switch {
	// The account knows, but where it can't tell what is held: heaps that it could not read, mappings of
	// another allocator.
	case v.Class != verdict.Unclear && v.Class != verdict.Malloc && (v.Class != verdict.Mapped || w.last.Allocator == ""):
	case few:
		v.Evidence = fmt.Sprintf("%s of C's blocks at one in %s say nothing about what is kept: take more by a smaller --rate, or let it run longer", quantity.Plural(w.last.samples(), "sample"), size(int64(r.Rate)))
	case shape == growth.Rises:
		v.Class = class
		v.Evidence = fmt.Sprintf("%s rose from %s to %s", what, size(int64(most(w.before(w.wall()/4)))), size(int64(most(w.before(w.wall())))))
		if class == verdict.Leak {
			v.Evidence += verdict.StillFilling
		}
	case shape == growth.Slows:
		v.Class, v.Evidence = verdict.Cache, what+" rises ever more slowly"+r.rest()
	case shape == growth.Rests:
		v.Class, v.Evidence = verdict.Steady, what+" comes to rest, or goes up and down"+r.rest()
	}
	if told && !few {
		v.Evidence += r.culprits(v.Class)
	}
	r.Verdict = &v
}

// rest is what is left open where blocks alone are judged: RSS is more than they are.
func (r *Report) rest() string {
	if r.Account == nil || r.Account.Verdict == nil {
		return ""
	}
	return "; of RSS it isn't known: " + r.Account.Verdict.Evidence
}

// culprits names the sites that a verdict is about, as the end of its evidence.
func (r *Report) culprits(c verdict.Class) string {
	switch c {
	case verdict.Leak:
		return r.grown(func(p *Place) bool { return !p.Mapped })
	case verdict.Mapped:
		return r.grown(func(p *Place) bool { return p.Mapped })
	case verdict.Cache, verdict.Unclear:
		return r.grown(func(*Place) bool { return true })
	}
	return ""
}

// leastTaken samples say something.
const leastTaken = 10

// samples is how many were taken; of every block, enough.
func (l *Record) samples() (n int) {
	for i := range l.Sites {
		n += int(l.Sites[i].Samples)
	}
	if l.Rate <= 1 {
		n += leastTaken
	}
	return n
}

// grown names the sites that have grown most, as the end of a sentence. Stacks that differ in between have
// one name.
func (r *Report) grown(which func(*Place) bool) string {
	type name struct {
		is   string
		grew int64
	}
	var list []*name
	var sum, named int64
	for _, p := range r.Sites {
		if !which(p) || p.Grew < leastGrowth {
			continue
		}
		sum += p.Grew
		i := slices.IndexFunc(list, func(n *name) bool { return n.is == p.String() })
		if i < 0 {
			i = len(list)
			list = append(list, &name{is: p.String()})
		}
		list[i].grew += p.Grew
	}
	slices.SortStableFunc(list, func(a, b *name) int { return cmp.Compare(b.grew, a.grew) })
	var words []string
	for _, n := range list[:min(3, len(list))] {
		if len(words) > 0 && n.grew < sum/10 {
			break
		}
		named += n.grew
		words = append(words, size(n.grew)+" by "+n.is)
	}
	if len(words) == 0 {
		return "; no stack of those that were seen allocates and keeps more than before"
	}
	if rest := sum - named; rest > sum/20 {
		words = append(words, size(rest)+" by others")
	}
	return "; since the first quarter of the run: " + strings.Join(words, ", ")
}

func size(n int64) string {
	if n < 0 {
		return "-" + size(-n)
	}
	return quantity.Tick(float64(n), "B")
}

// margin is how far off the estimate of so many live bytes may be, of 1: 19 times of 20.
func (r *Report) margin(live int64) float64 {
	if r.Rate <= 1 || live <= 0 {
		return 0
	}
	return 1.96 * math.Sqrt(float64(r.Rate)/float64(live))
}

// Sentence is the report in one.
func (r *Report) Sentence() string {
	live := r.live()
	if len(r.Sites) == 0 {
		how := "C has allocated nothing"
		if r.Rate > 1 {
			how = fmt.Sprintf("No sample was taken, at one in %s: C has allocated little", size(int64(r.Rate)))
		}
		if len(r.Missing) > 0 {
			how += fmt.Sprintf(" in process %d (%s)", r.PID, base(r.Exe))
		}
		return how + ", as far as it is seen."
	}
	s := fmt.Sprintf("C holds %s at the end", size(live))
	switch m := r.margin(live); {
	case live <= 0 && r.Rate > 1:
		s = "Of what C has allocated no sample is live at the end"
	case m > 1:
		s = fmt.Sprintf("C holds less than about %s at the end", size(int64(float64(live)*(1+m))))
	case m > 0.005:
		s += fmt.Sprintf(" (± %.0f %%)", 100*m)
	}
	var most []string
	for _, p := range r.Sites {
		if p.Mapped || p.Live < live/5 || p.Live == 0 || len(most) == 2 {
			continue
		}
		most = append(most, fmt.Sprintf("%s by %s", size(p.Live), p))
	}
	if len(most) > 0 {
		s += ": " + strings.Join(most, ", ")
	}
	if mapped := r.Live - live; mapped > 0 {
		s += fmt.Sprintf("; and %s of mappings", size(mapped))
	}
	return s + "."
}

// live is what blocks have, without mappings.
func (r *Report) live() (sum int64) {
	for _, p := range r.Sites {
		if !p.Mapped {
			sum += p.Live
		}
	}
	return sum
}

func (r *Report) judged() string {
	switch v := r.Verdict; v.Class {
	case verdict.Unclear:
		return "It can't be told whether it grows: " + v.Evidence + "."
	default:
		return strings.ToUpper(string(v.Class[:1])) + string(v.Class[1:]) + ": " + v.Evidence + "."
	}
}

// The types of a profile's values: as Go's own heap profile has them, and three more.
var types = []prof.Type{{Name: "inuse_space", Unit: "bytes"}, {Name: "inuse_objects", Unit: "count"}, {Name: "alloc_space", Unit: "bytes"}, {Name: "alloc_objects", Unit: "count"},
	{Name: "peak_space", Unit: "bytes"}, {Name: "temporary_space", Unit: "bytes"}, {Name: "temporary_objects", Unit: "count"}, {Name: "growth_space", Unit: "bytes"}}

// Profile is the report as a profile.
func (r *Report) Profile() *prof.Profile { return r.profile(nil) }

// profile is Profile, with what was live at the report's moments if it has types for them.
func (r *Report) profile(moments []prof.Type) *prof.Profile {
	p := prof.New(slices.Concat(types, moments)...)
	p.Program, p.Period, p.Count, p.Start = r.Exe, int64(r.Rate), 1, r.Start
	for _, s := range r.Sites {
		var labels map[string][]string
		if s.Mapped {
			labels = map[string][]string{"by": {"mmap"}}
		}
		values := []int64{s.Live, s.LiveObjects, s.Bytes, s.Objects, s.Peak, s.Short, s.ShortObjects, max(0, s.Grew)}
		if len(moments) > 0 {
			values = append(values, s.then...)
		}
		p.Add(s.Stack, labels, values...)
	}
	if n := len(r.Samples); n > 0 {
		p.Duration = time.Duration(r.Samples[n-1].NS)
	}
	return p
}

// graph is the profile's, in which one can choose between which moments it has grown.
func (r *Report) graph() prof.Graph {
	if len(r.moments) < 2 {
		return r.Profile().Graph(nil)
	}
	names, moments := make([]string, len(r.moments)), make([]prof.Type, len(r.moments))
	for i, at := range r.moments {
		names[i] = at.Round(time.Second / 100).String()
	}
	g := r.profile(moments).Graph(nil)
	g.AtMoments(names, r.quarter, len(names)-1)
	return g
}

func base(exe string) string { return filepath.Base(exe) }
