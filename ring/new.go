package ring

import (
	"io"
	"runtime"
	"unsafe"
)

// New returns both ends of a ring inside this process. The capacity is a power of two, in
// bytes; a record takes its length, rounded up to 8, and 8 more.
func New(capacity int, o Options) (*Writer, *Reader, error) {
	if err := checkCapacity(uint64(capacity)); err != nil {
		return nil, nil, err
	}
	o.Doorbell = nil // for connections
	w, r := ends(heapMemory(uint64(capacity)), o)
	return w, r, nil
}

// ends returns both ends of a ring, for goroutines of this process.
func ends(m *memory, o Options) (*Writer, *Reader) {
	toWriter, toReader := make(chanBell, 1), make(chanBell, 1)
	if runtime.GOMAXPROCS(0) == 1 {
		o.Spin = -1 // the other end can't run meanwhile
	}
	w, r := newWriter(m, o, new(life), toWriter, toReader), newReader(m, o, new(life), toReader, toWriter)
	for _, s := range []*spinner{&w.spin, &r.spin} {
		s.local = true
		if s.judges { // there is no processor to be woken
			s.limit, s.judges = shortSpin, false
		}
	}
	return w, r
}

func newWriter(m *memory, o Options, l *life, b bell, other waker) *Writer {
	w := &Writer{end: newEnd(m, o, l, b, other), reserved: -1, full: o.Full}
	w.watched, w.mine, w.theirs, w.onClose = &w.ctl.read, &w.ctl.writer, &w.ctl.reader, ErrGone
	w.ahead = (*uint64)(unsafe.Pointer(w.watched))
	w.pos = m.start
	w.published, w.seen, w.limit, w.max = w.pos, w.pos, w.pos+w.capacity, w.capacity-headerSize
	return w
}

func newReader(m *memory, o Options, l *life, b bell, other waker) *Reader {
	r := &Reader{end: newEnd(m, o, l, b, other), lag: m.capacity / 8}
	r.watched, r.mine, r.theirs, r.onClose = &r.ctl.written, &r.ctl.reader, &r.ctl.writer, io.EOF
	r.next, r.gave, r.seen = m.start, m.start, m.start
	if r.claims = o.Full == DropOldest; r.claims {
		r.lag = 0
	}
	r.quiet = o.Doorbell != nil
	r.copies = o.Untrusted
	return r
}

func newEnd(m *memory, o Options, l *life, b bell, other waker) end {
	return end{ctl: m.ctl, data: m.data, capacity: m.capacity, mask: m.capacity - 1, bell: b, other: other, sync: m.sync,
		life: l, spin: o.spinner(), mem: m}
}

// begin fills in the head of an empty ring.
func (c *control) begin(capacity, features uint64) {
	c.magic, c.version, c.size, c.layout = magic, version, uint32(controlSize), layoutHash
	c.features, c.capacity = features, capacity
}
