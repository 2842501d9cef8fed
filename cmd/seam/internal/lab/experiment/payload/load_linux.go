package payload

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// A link is a connection to a server. It is read and written by system calls that block
// their thread: what the load costs is taken from the server, so it should be little, and
// Go's poller would add to the latency.
type link struct {
	file *os.File
	fd   int
	buf  []byte
}

// patienceWithServer is how long an answer may take.
const patienceWithServer = 5 * time.Second

func connect(port int) (*link, error) {
	c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	f, err := c.(*net.TCPConn).File()
	if err != nil {
		return nil, err
	}
	fd := int(f.Fd()) // which makes it block
	tv := unix.NsecToTimeval(patienceWithServer.Nanoseconds())
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv); err != nil {
		f.Close()
		return nil, os.NewSyscallError("setsockopt", err)
	}
	return &link{f, fd, make([]byte, 64<<10)}, nil
}

func (l *link) close() { l.file.Close() }

// A request is what is sent, and what has to come back.
type request struct {
	text   []byte // headers and message
	answer []byte
}

func post(via string, message, answer []byte) request {
	text := fmt.Appendf(nil, "POST /%s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", via, len(message))
	return request{append(text, message...), answer}
}

// send makes a request and waits for the answer. Its body is looked at when check is
// true, else it is only measured.
func (l *link) send(r request, check bool) error {
	for text := r.text; len(text) > 0; {
		n, err := unix.Write(l.fd, text)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return os.NewSyscallError("write", err)
		}
		text = text[n:]
	}
	have, body, size := 0, -1, 0
	for body < 0 || have < body+size {
		if have == len(l.buf) {
			l.buf = append(l.buf, make([]byte, len(l.buf))...)
		}
		n, err := unix.Read(l.fd, l.buf[have:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return fmt.Errorf("no answer from the server within %v", patienceWithServer)
		case err != nil:
			return os.NewSyscallError("read", err)
		case n == 0:
			return errors.New("the server closed the connection")
		}
		have += n
		if body >= 0 {
			continue
		}
		if end := bytes.Index(l.buf[:have], []byte("\r\n\r\n")); end >= 0 {
			body = end + 4
			if size, err = bodySize(l.buf[:end+2]); err != nil {
				return err
			}
		}
	}
	switch got := l.buf[body:have]; {
	case !bytes.HasPrefix(l.buf, []byte("HTTP/1.1 200 ")):
		line, _, _ := bytes.Cut(l.buf[:have], []byte("\r\n"))
		return fmt.Errorf("the server says %q: %.200q", line, got)
	case len(got) != len(r.answer) || check && !bytes.Equal(got, r.answer):
		return fmt.Errorf("the server answers %.200q, want %.200q", got, r.answer)
	}
	return nil
}

// bodySize finds the Content-Length among the headers.
func bodySize(head []byte) (int, error) {
	const key = "\r\nContent-Length: "
	if _, rest, ok := bytes.Cut(head, []byte(key)); ok {
		digits, _, _ := bytes.Cut(rest, []byte("\r\n"))
		if n, err := strconv.Atoi(string(digits)); err == nil && n >= 0 && n <= 1<<24 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("the server's answer has no Content-Length: %.200q", strings.ToValidUTF8(string(head), "?"))
}

// sampled is how many answers pass for one that is looked at.
const sampled = 64

// sender returns what sends r again and again.
func (l *link) sender(r request) func() error {
	n := 0
	return func() error {
		n++
		return l.send(r, n%sampled == 1)
	}
}

// monotonic is the clock that the thread can sleep by.
type monotonic struct{ start time.Time }

func (m monotonic) now() time.Duration { return time.Since(m.start) }

func (m monotonic) until(t time.Duration) {
	for wait := t - m.now(); wait > 0; wait = t - m.now() {
		ts := unix.NsecToTimespec(wait.Nanoseconds())
		_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &ts, nil) // interrupted: again
	}
}

// A stretch is what all senders noted in a while.
type stretch struct {
	latency []float64
	unsent  int
	took    time.Duration
}

func (s *stretch) rate() float64 { return float64(len(s.latency)) / s.took.Seconds() }

// together has each link do the same at the same time, in a thread of its own.
func together(links []*link, cpu int, do func(i int, l *link) (record, error)) (*stretch, error) {
	records, failed := make([]record, len(links)), make([]error, len(links))
	var all sync.WaitGroup
	for i, l := range links {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if cpu >= 0 {
				defer subprocess.Pin(cpu)()
			}
			// The kernel may wake a thread 50 µs late for its convenience.
			_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
			defer func() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) }() // as it was
			records[i], failed[i] = do(i, l)
		})
	}
	all.Wait()
	s := &stretch{}
	for _, r := range records {
		s.latency = append(s.latency, r.latency...)
		s.unsent += r.unsent
		s.took = max(s.took, r.end)
	}
	return s, errors.Join(failed...)
}

// lead is how long before the first request the senders are told.
const lead = time.Millisecond

// saturate asks as fast as there are answers.
func saturate(links []*link, cpu int, r request, long time.Duration) (*stretch, error) {
	c := monotonic{time.Now()}
	return together(links, cpu, func(_ int, l *link) (record, error) {
		return flood(c, long, l.sender(r))
	})
}

// steady asks at a fixed rate.
func steady(links []*link, cpu int, r request, perSecond int, long time.Duration) (*stretch, error) {
	c := monotonic{time.Now()}
	s := schedule{
		start: lead, interval: time.Second / time.Duration(perSecond),
		requests: max(1, int(long.Seconds()*float64(perSecond))), step: len(links),
		give: lead + 3*long,
	}
	st, err := together(links, cpu, func(i int, l *link) (record, error) { return s.pace(c, i, l.sender(r)) })
	if st != nil {
		st.took = max(st.took-lead, time.Duration(s.requests)*s.interval)
	}
	return st, err
}
