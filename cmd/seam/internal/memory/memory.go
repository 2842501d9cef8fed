// Package memory watches where the resident memory of processes is, and reports it: package
// account reads it, and package verdict says why it grows.
package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/cmd/seam/internal/memory/verdict"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Schema is the format of [Report.Encode].
const Schema = "seam.rss/1"

// A Report is what was seen of one process.
type Report struct {
	Schema  string           `json:"schema"`
	Seam    string           `json:"seam"`
	Command []string         `json:"command,omitempty"` // what was run, with its arguments
	First   *account.Account `json:"first"`             // the oldest look
	Last    *account.Account `json:"last"`              // may be the same one
	Samples []Sample         `json:"samples"`
	Verdict *verdict.Verdict `json:"verdict,omitempty"` // of more than one look
	Rate    float64          `json:"rate"`              // bytes a minute that RSS rises by, behind the first quarter; 0 of a single look
	Peak    uint64           `json:"peak"`              // of the looks, bytes
	Others  int              `json:"others,omitempty"`  // processes of the command that were seen beside this one
	Rising  []string         `json:"rising,omitempty"`  // of those the ones whose memory is seen to grow, too: sentences without a full stop
	Ended   bool             `json:"ended,omitempty"`   // the process ended, at most a step after the last look
}

// A Sample is what one look found.
type Sample struct {
	NS    int64                   `json:"ns"` // since the first
	RSS   uint64                  `json:"rss"`
	Kinds map[account.Kind]uint64 `json:"kinds"`
	Trim  uint64                  `json:"trim"`
	Huge  uint64                  `json:"huge"`

	Threads int `json:"threads"`
}

// Encode writes the report as JSON.
func (r *Report) Encode(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// A watch is the looks at one process.
type watch struct {
	first, last *account.Account
	samples     []Sample
	ended       bool
}

func (w *watch) add(a *account.Account) {
	if w.first == nil {
		w.first = a
	}
	w.last = a
	s := Sample{NS: int64(a.Time.Sub(w.first.Time)), RSS: a.RSS, Kinds: map[account.Kind]uint64{}, Trim: a.Trim, Huge: a.Huge, Threads: a.Threads}
	for _, p := range a.Parts {
		s.Kinds[p.Kind] += p.Bytes
	}
	w.samples = append(w.samples, s)
}

// mostSamples are kept where nobody asked for a step: twice as many are thinned out to these.
const mostSamples = 60

func (w *watch) thin() {
	if len(w.samples) < 2*mostSamples {
		return
	}
	n := 0
	for i := 0; i < len(w.samples); i += 2 {
		w.samples[n] = w.samples[i]
		n++
	}
	w.samples = append(w.samples[:n], w.samples[len(w.samples)-1]) // the last one stays
}

func (w *watch) report() *Report {
	r := &Report{Schema: Schema, First: w.first, Last: w.last, Samples: w.samples, Ended: w.ended}
	for _, s := range w.samples {
		r.Peak = max(r.Peak, s.RSS)
	}
	if len(w.samples) > 1 {
		v := verdict.Of(r.history())
		if other := r.OtherAllocator(); other != "" && v.Class == verdict.Mapped {
			v.Evidence += ", " + other
		}
		r.Verdict = &v
		r.Rate = rate(w.samples)
	}
	return r
}

// OtherAllocator says what of the anonymous mappings is an allocator's other than glibc's; "" if none is known.
func (r *Report) OtherAllocator() string {
	for _, p := range r.Last.Parts {
		if p.Kind == account.Anonymous && strings.HasPrefix(p.Owner, "with what ") {
			return p.Owner
		}
	}
	return ""
}

// history is the samples as package verdict wants them. Where some looks could not read all of malloc's
// heaps, as they changed meanwhile, those that could are enough.
func (r *Report) history() (list []verdict.Sample) {
	looks := r.Samples
	whole := slices.DeleteFunc(slices.Clone(looks), func(s Sample) bool { return s.Kinds[account.CUnknown] > 0 })
	if len(whole) >= verdict.LeastSamples && 2*len(whole) >= len(looks) {
		looks = whole
	}
	for _, s := range looks {
		list = append(list, verdict.Sample{
			At: time.Duration(s.NS), RSS: s.RSS - s.Kinds[account.Own], Trim: s.Trim, Huge: s.Huge, Threads: uint64(s.Threads),
			CUsed: s.Kinds[account.CUsed], CUnread: s.Kinds[account.CUnknown], CFree: s.Kinds[account.CFree],
			Stacks: s.Kinds[account.Stacks] + s.Kinds[account.OldStacks], Files: s.Kinds[account.Files] + s.Kinds[account.Shared],
			Go: s.Kinds[account.GoHeap] + s.Kinds[account.GoOther], Anonymous: s.Kinds[account.Anonymous],
		})
	}
	return list
}

// rate is the median of the slopes between samples, behind the first quarter: one jump doesn't
// make it. Bytes a minute.
func rate(list []Sample) float64 {
	end := list[len(list)-1].NS
	for len(list) > 2 && list[0].NS < end/4 {
		list = list[1:]
	}
	const most = 300 // samples: of more some are left out, for the pairs are many
	step := max(1, len(list)/most)
	var slopes []float64
	for i := 0; i < len(list); i += step {
		for j := i + step; j < len(list); j += step {
			if d := list[j].NS - list[i].NS; d > 0 {
				slopes = append(slopes, (float64(list[j].RSS)-float64(list[i].RSS))/float64(d)*60e9)
			}
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2]
}

// pause is how long to wait for the next look: looking takes a tenth of the time at most, but for what
// is read once, the files of programs. A first look that counted would leave the first seconds unseen.
func pause(every, took time.Duration) time.Duration { return max(every, 10*took) - took }

// Process watches one that runs for a time, 0 for one look. Without a step there are mostSamples
// at most. That it ends, or ctx, ends the watch.
func Process(ctx context.Context, pid int, length, every time.Duration) (*Report, error) {
	var reader account.Reader
	w, step := &watch{}, every
	if step == 0 {
		step = length / mostSamples
	}
	for begun := time.Now(); ; {
		a, err := reader.Read(pid)
		if errors.Is(err, account.ErrGone) && w.first != nil {
			w.ended = true
			break
		}
		if err != nil {
			return nil, err
		}
		w.add(a)
		if every == 0 {
			w.thin()
		}
		left := time.Until(begun.Add(length))
		if left <= 0 {
			break
		}
		select {
		case <-ctx.Done():
			return w.report(), nil
		case <-time.After(min(pause(step, a.Took-a.Once), left)):
		}
	}
	return w.report(), nil
}

// Command watches the processes that list names, again and again until stop is closed, and
// reports on the one that grew most. It is nil if none was seen.
func Command(stop <-chan struct{}, every time.Duration, list func() []int) (*Report, error) {
	const soonest = 50 * time.Millisecond
	step := every
	if step == 0 {
		step = soonest
	}
	var reader account.Reader
	watches := map[int]*watch{}
	var failed error
	for {
		begun, once := time.Now(), time.Duration(0)
		for _, pid := range list() {
			a, err := reader.Read(pid)
			if err != nil {
				if !errors.Is(err, account.ErrGone) {
					failed = err
				}
				continue
			}
			if w := watches[pid]; w == nil || w.last.Exe != a.Exe { // it was a copy of its parent before
				watches[pid] = &watch{}
			}
			once += a.Once
			w := watches[pid]
			w.add(a)
			if n := len(w.samples); every == 0 && n >= mostSamples && time.Duration(w.samples[n-1].NS) > 2*mostSamples/3*step {
				step *= 2
			}
			if every == 0 {
				w.thin()
			}
		}
		select {
		case <-stop:
			return most(watches), failed
		case <-time.After(pause(step, time.Since(begun)-once)):
		}
	}
}

// most is the report on the process that grew most: what seam heap keeps in it doesn't count.
func most(watches map[int]*watch) *Report {
	var best *watch
	own := func(a *account.Account) int64 { return int64(a.RSS - a.Of(account.Own)) }
	grew := func(w *watch) int64 { return own(w.last) - own(w.first) }
	for _, w := range watches {
		if best == nil || grew(w) > grew(best) || grew(w) == grew(best) && w.last.PID < best.last.PID {
			best = w
		}
	}
	if best == nil {
		return nil
	}
	best.ended = true
	r := best.report()
	r.Others = len(watches) - 1
	for _, pid := range slices.Sorted(maps.Keys(watches)) {
		if w := watches[pid]; w != best && len(w.samples) > 1 {
			if v := w.report().Verdict; v.Class.Grows() {
				r.Rising = append(r.Rising, fmt.Sprintf("process %d (%s) grows, too: %s: %s", pid, filepath.Base(w.last.Exe), v.Class, v.Evidence))
			}
		}
	}
	return r
}

// Grew is by how many bytes kinds grew together, from the first look to the last.
func (r *Report) Grew(kinds ...account.Kind) (n int64) {
	for _, k := range kinds {
		n += int64(r.Last.Of(k)) - int64(r.First.Of(k))
	}
	return n
}

// GrewBlocks is by how many blocks more malloc has handed out.
func (r *Report) GrewBlocks() (n int64) {
	for _, p := range r.Last.Parts {
		if p.Kind == account.CUsed {
			n += int64(p.Count)
		}
	}
	for _, p := range r.First.Parts {
		if p.Kind == account.CUsed {
			n -= int64(p.Count)
		}
	}
	return n
}

// Outside reports whether memory that is neither Go's own nor pages of files is seen to rise until the
// end, or why that can't be told.
func (r *Report) Outside() (rises bool, unclear string) { return verdict.Outside(r.history()) }

// TooLittle says why the rate proves nothing, or "".
func (r *Report) TooLittle() string {
	if n := len(r.Samples); n < verdict.LeastSamples || time.Duration(r.Samples[n-1].NS) < verdict.LeastRun {
		return fmt.Sprintf("%s in %s do not say how fast RSS rises: it takes at least %d, over at least %s; let it run longer",
			quantity.Plural(n, "look"), time.Duration(r.Samples[n-1].NS).Round(time.Second/10), verdict.LeastSamples, verdict.LeastRun)
	}
	return ""
}
