package report

import "github.com/seamgo/seam/cmd/seam/internal/stack/event"

// A doubt is a newstack that nothing of its thread followed, so that it was either the end
// of the program, whose stack must not grow, or a preemption.
type doubt struct {
	pid        int
	site       int32
	entry      int32
	lo, sp, hi uint64
	guard      int64
	certain    bool
}

// doubtOf is a doubt about a goroutine.
func (b *Builder) doubtOf(pid int, p *process, n *need) doubt {
	d := doubt{pid: pid, lo: n.lo, sp: n.sp, hi: n.hi, guard: p.guard, site: b.site(p.place(n.sched), p.place(n.more))}
	if !b.plain {
		d.entry = b.entry(p.place(n.entry), p.place(n.gos))
	}
	return d
}

// undecided keeps a newstack until functions have names and frames.
func (b *Builder) undecided(pid int, p *process, t *thread) {
	if !t.need.last || len(b.doubtful) >= maxDoubtful {
		b.preempted(t)
		return
	}
	b.doubtful = append(b.doubtful, b.doubtOf(pid, p, &t.need))
	t.need = need{}
}

// exceeded is what the runtime says before it ends the program.
func (b *Builder) exceeded(p *process, t *thread, e *event.Event) {
	n := t.need
	if b.plain {
		// It is said right after the newstack.
		n = b.latest
		delete(b.needs, n.lo)
	}
	if n.on && len(b.doubtful) < maxDoubtful {
		d := b.doubtOf(e.PID, p, &n)
		d.certain = true
		b.doubtful = append(b.doubtful, d)
	}
	t.need = need{}
}

// died reports whether a goroutine did need more stack: with the frame of the function that
// it was about to enter it would have come within the guard. What the scheduler wants to
// pause is checked in the same place, with room left. The frame is 0 if not known; then
// only a large stack that is nearly full counts, since a small one often is.
func (d *doubt) died(frame int64) bool {
	const large, nearly = 256 << 10, 16
	size, left := int64(d.hi-d.lo), int64(d.sp)-int64(d.lo)
	return d.certain || left <= frame+d.guard && d.guard > 0 || frame == 0 && size >= large && left < size/nearly
}
