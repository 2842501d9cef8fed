package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// A bar shows on a terminal what the lab is at and how long it will take.
type bar struct {
	bar  *progressbar.ProgressBar
	quit chan struct{}
	once sync.Once
	done sync.WaitGroup

	mu   sync.Mutex
	last lab.Progress
	seen time.Time // when last came
}

// tick is how often the bar moves: seldom, since it is drawn beside what is
// being measured.
const tick = 500 * time.Millisecond

// leastWidth is the narrowest terminal that the bar and the time left fit into.
const leastWidth = 45

// newBar returns a bar on w, or nil where w is no terminal or a narrow one.
func newBar(w io.Writer) *bar {
	if s := screenOf(w); !s.terminal || s.Width < leastWidth {
		return nil
	}
	b := &bar{quit: make(chan struct{})}
	b.bar = progressbar.NewOptions64(1,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSetPredictTime(false), // the lab knows better
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionSetRenderBlankState(true),
	)
	b.done.Go(func() {
		t := time.NewTicker(tick)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				b.draw(w)
			case <-b.quit:
				return
			}
		}
	})
	return b
}

// update takes what the lab says; it is shown at the next tick.
func (b *bar) update(p lab.Progress) {
	b.mu.Lock()
	b.last, b.seen = p, time.Now()
	b.mu.Unlock()
}

func (b *bar) draw(w io.Writer) {
	b.mu.Lock()
	p, since := b.last, time.Since(b.seen)
	b.mu.Unlock()
	if p.Rounds == 0 {
		return // nothing has been said yet
	}
	elapsed, left := p.Elapsed+since, max(0, p.Left-since)
	b.bar.ChangeMax64(max(1, int64(elapsed+left)))
	b.bar.Describe(describe(p, left, screenOf(w).Width-barWidth))
	// One short of the end: a full bar counts as finished and stays silent.
	_ = b.bar.Set64(min(int64(elapsed), max(1, int64(elapsed+left))-1))
}

// barWidth is what the bar and its percentage take of a line.
const barWidth = 32

// describe is the text beside the bar, cut to fit.
func describe(p lab.Progress, left time.Duration, width int) string {
	s := fmt.Sprintf("%s left, round %d of %d, %s", left.Round(time.Second), p.Round+1, p.Rounds, p.Experiment)
	if p.Label != "" {
		s += ": " + p.Label
	}
	if r := []rune(s); len(r) > max(width, 10) {
		s = string(r[:max(width, 10)-1]) + "…"
	}
	return s
}

// close takes the bar off the terminal. It may be called twice, and on no bar.
func (b *bar) close() {
	if b == nil {
		return
	}
	b.once.Do(func() {
		close(b.quit)
		b.done.Wait()
		_ = b.bar.Clear()
	})
}
