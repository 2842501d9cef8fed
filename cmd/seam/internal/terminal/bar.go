package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// A Bar shows how far something is and how long it will still take.
type Bar struct {
	quit chan struct{}
	once sync.Once
	done sync.WaitGroup

	mu   sync.Mutex
	last Progress
	seen time.Time // when last came
}

// Progress is what a Bar shows.
type Progress struct {
	Elapsed, Left time.Duration
	Doing         string // what is being done now
}

// tick is how often the bar moves. It is drawn beside what is being measured, so
// that is seldom.
const tick = 500 * time.Millisecond

const (
	barCells   = 20
	barWidth   = 32 // what the bar and its percentage take of a line
	leastWidth = 45 // narrower terminals have no room for the time left
)

// NewBar returns a bar on w, or nil where w is no terminal or too narrow a one. A
// nil bar shows nothing.
func NewBar(w io.Writer) *Bar {
	if s := Of(w); !s.Interactive || s.Width < leastWidth {
		return nil
	}
	b := &Bar{quit: make(chan struct{})}
	b.done.Go(func() {
		t := time.NewTicker(tick)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				b.draw(w)
			case <-b.quit:
				fmt.Fprint(w, eraseLine)
				return
			}
		}
	})
	return b
}

// Update takes what is shown from the next tick on.
func (b *Bar) Update(p Progress) {
	if b == nil {
		return
	}
	b.mu.Lock()
	b.last, b.seen = p, time.Now()
	b.mu.Unlock()
}

func (b *Bar) draw(w io.Writer) {
	b.mu.Lock()
	p, seen := b.last, b.seen
	b.mu.Unlock()
	if seen.IsZero() {
		return // no update yet
	}
	since := time.Since(seen)
	p.Elapsed, p.Left = p.Elapsed+since, max(0, p.Left-since)
	fmt.Fprint(w, eraseLine+p.line(Of(w).Width))
}

// line is the bar in a line of a terminal this wide.
func (p Progress) line(width int) string {
	// Never full: it goes away when all is done.
	done := min(0.99, float64(p.Elapsed)/float64(max(1, p.Elapsed+p.Left)))
	cells := int(done * barCells)
	return fmt.Sprintf("%4.0f%% |%s%s|  %s", done*100, strings.Repeat("█", cells), strings.Repeat(" ", barCells-cells),
		Cut(fmt.Sprintf("%s left, %s", p.Left.Round(time.Second), p.Doing), width-barWidth))
}

// Cut shortens a text to a width, of which it keeps at least ten.
func Cut(s string, width int) string {
	width = max(width, 10)
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}

// Close takes the bar off the terminal. It may be called twice.
func (b *Bar) Close() {
	if b == nil {
		return
	}
	b.once.Do(func() {
		close(b.quit)
		b.done.Wait()
	})
}
