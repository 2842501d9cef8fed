package event

import (
	"bytes"
	"errors"
	"io"
)

const (
	// The longest line that the tracer writes has some 1000 bytes.
	longest = 4096
	buffer  = 256 << 10

	// processes bounds what is remembered of who has sent a start line.
	processes = 1 << 16
	// versions bounds the different versions of Go that are told apart.
	versions = 64
)

// A Reader reads the events of a log, one at a time, and allocates nothing for them. It
// fails only if the log can't be read. Lines that are no events are counted.
type Reader struct {
	// Unknown, if set, is called with each line that is no event, without its end, and
	// at most 4096 bytes of it. It must not keep the slice.
	Unknown func(line []byte)

	r        io.Reader
	buf      []byte
	at, end  int // buf[at:end] was read and is not yet taken
	long     bool
	err      error
	bytes    int64
	unknown  int64
	events   int64
	stamped  bool
	started  map[int]struct{} // processes that have sent a start line
	before   map[int]struct{} // likewise, and not heard from since started was begun
	last     int              // one of them, to look it up less often
	versions map[string]string

	event    Event
	partial  int // lines of a plain newstack that have been read, into event
	held     Event
	holding  bool // held is the settings line that comes before a start line
	queued   bool // held is the next event
	heldLine []byte
}

// NewReader reads a log. Whether it is stamped is seen from its first lines.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: r, buf: make([]byte, buffer), started: map[int]struct{}{}, versions: map[string]string{}}
}

// Bytes is how much has been read.
func (r *Reader) Bytes() int64 { return r.bytes }

// Events is how many there have been.
func (r *Reader) Events() int64 { return r.events }

// UnknownLines is how many lines were no events.
func (r *Reader) UnknownLines() int64 { return r.unknown }

// Stamped reports whether a process has sent a start line. From then on only stamped lines
// are events.
func (r *Reader) Stamped() bool { return r.stamped }

// Next returns the next event, which is valid until Next is called again. At the log's end
// the error is io.EOF.
func (r *Reader) Next() (*Event, error) {
	if r.queued {
		r.queued = false
		r.event = r.held
		r.events++
		return &r.event, nil
	}
	for {
		line, err := r.line()
		if err != nil {
			r.drop()
			return nil, err
		}
		if r.take(line) {
			r.events++
			return &r.event, nil
		}
	}
}

// line returns the next line without its end. Lines that are too long, and a last one that
// has no end, are counted here as unknown.
func (r *Reader) line() ([]byte, error) {
	for {
		if i := bytes.IndexByte(r.buf[r.at:r.end], '\n'); i >= 0 {
			text := r.buf[r.at : r.at+i]
			r.at += i + 1
			r.bytes += int64(i) + 1
			switch {
			case r.long:
				r.long = false // its beginning was counted
			case i > longest:
				r.reject(text)
			default:
				return text, nil
			}
			continue
		}
		rest := r.buf[r.at:r.end]
		if len(rest) > longest || r.err != nil && len(rest) > 0 || r.long {
			if !r.long {
				r.reject(rest)
			}
			r.long = true
			r.bytes += int64(len(rest))
			r.at, r.end = 0, 0
		}
		if r.err != nil {
			return nil, r.err
		}
		if r.at > 0 {
			r.end = copy(r.buf, r.buf[r.at:r.end])
			r.at = 0
		}
		r.fill()
	}
}

func (r *Reader) fill() {
	const patience = 100
	for range patience {
		n, err := r.r.Read(r.buf[r.end:])
		if n < 0 || n > len(r.buf)-r.end {
			r.err = errors.New("read of a stack log: the reader returned an impossible count")
			return
		}
		r.end += n
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// reject counts a line that is no event.
func (r *Reader) reject(line []byte) {
	r.unknown++
	if r.Unknown != nil {
		r.Unknown(line[:min(len(line), longest)])
	}
}
