package heap

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Rate is how many bytes there are to a sample, on average, where SEAM_HEAP_RATE says no other.
const Rate = 512 << 10

// Metrics are figures of C's memory. Those in bytes are estimates from samples, but for Mapped, RSS
// and what malloc says.
type Metrics struct {
	Live        int64 `json:"live"`         // bytes that C has allocated and not freed, mappings left out
	LiveObjects int64 `json:"live_objects"` // blocks
	Allocated   int64 `json:"allocated"`    // bytes since the start: a counter
	Objects     int64 `json:"objects"`      // blocks since the start: a counter
	Mapped      int64 `json:"mapped"`       // bytes of anonymous mappings that C has made
	Peak        int64 `json:"peak"`         // of Live and Mapped together, within 2 %
	Stacks      int   `json:"stacks"`       // that have allocated
	Samples     int64 `json:"samples"`      // since the start: a counter
	Lost        int64 `json:"lost"`         // samples for which there was no room: a counter

	RSS    int64 `json:"rss"`    // of the process; 0 where /proc can't be read
	Arenas int64 `json:"arenas"` // bytes that glibc's malloc has from the system; 0 for other allocators
	Free   int64 `json:"free"`   // of those the ones that nobody uses, caches of threads left out
}

// Status returns an error that says why C's memory isn't profiled in this program; nil if it is.
func Status() error { return status }

// Read returns what has been counted. It takes some microseconds for each thousand stacks.
func Read() Metrics {
	var m Metrics
	sites, peak, lost := read()
	for _, s := range sites {
		m.Stacks++
		m.Samples += s.samples
		if s.mapped {
			m.Mapped += s.values[inuseSpace]
			continue
		}
		m.Live += s.values[inuseSpace]
		m.LiveObjects += s.values[inuseObjects]
		m.Allocated += s.values[allocSpace]
		m.Objects += s.values[allocObjects]
	}
	m.Peak, m.Lost = max(peak, m.Live+m.Mapped), lost
	m.Arenas, m.Free = arenas()
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if words := strings.Fields(string(text)); len(words) > 1 {
			pages, _ := strconv.ParseInt(words[1], 10, 64)
			m.RSS = pages * int64(os.Getpagesize())
		}
	}
	return m
}

// WriteProfile writes a profile as go tool pprof reads it, compressed: alloc_objects, alloc_space,
// inuse_objects and inuse_space by stack, innermost function first. Mappings have the label by=mmap.
func WriteProfile(w io.Writer) error {
	sites, _, _ := read()
	return write(w, sites, 0)
}

// WriteDelta writes what changes in a time; done ends it early, with an error.
func WriteDelta(w io.Writer, length time.Duration, done <-chan struct{}) error {
	before, _, _ := read()
	select {
	case <-time.After(length):
	case <-done:
		return fmt.Errorf("the profile was ended before %s were over", length)
	}
	after, _, _ := read()
	return write(w, difference(before, after), length)
}

// longest is how long Handler waits at most.
const longest = time.Hour

// Handler serves the profile. With seconds=N it serves what changes in so many seconds.
func Handler(w http.ResponseWriter, r *http.Request) {
	fail := func(code int, err error) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Go-Pprof", "1")
		w.WriteHeader(code)
		fmt.Fprintln(w, err)
	}
	if err := Status(); err != nil {
		fail(http.StatusServiceUnavailable, err)
		return
	}
	var length time.Duration
	if s := r.FormValue("seconds"); s != "" {
		n, err := strconv.Atoi(s)
		if length = time.Duration(n) * time.Second; err != nil || n <= 0 || length > longest {
			fail(http.StatusBadRequest, fmt.Errorf("seconds=%s: want a whole number, at least 1 and at most %d", strconv.Quote(s), int(longest.Seconds())))
			return
		}
		// The server's own limit would cut the answer off.
		if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.WriteTimeout > 0 && length >= server.WriteTimeout {
			fail(http.StatusBadRequest, fmt.Errorf("seconds=%d is longer than the server's WriteTimeout, %s", n, server.WriteTimeout))
			return
		}
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="cheap"`)
	var err error
	if length == 0 {
		err = WriteProfile(w)
	} else {
		err = WriteDelta(w, length, r.Context().Done())
	}
	if err != nil {
		w.Header().Del("Content-Disposition")
		fail(http.StatusInternalServerError, err)
	}
}

// The order of the values of a profile's sample, as in the runtime's heap profile.
const (
	allocObjects = iota
	allocSpace
	inuseObjects
	inuseSpace
)

// A site is a stack that has allocated.
type site struct {
	pcs     []uintptr // innermost first, each in its call
	c       int       // how many of them are C's
	mapped  bool
	values  [4]int64
	samples int64
}

// difference is what sites have more, or less, than before. Sites are only added.
func difference(before, after []site) (list []site) {
	type key struct {
		stack  string
		mapped bool
	}
	keyOf := func(s *site) key { return key{fmt.Sprint(s.pcs), s.mapped} }
	was := map[key]*site{}
	for i := range before {
		was[keyOf(&before[i])] = &before[i]
	}
	for _, s := range after {
		if b := was[keyOf(&s)]; b != nil {
			for i := range s.values {
				s.values[i] -= b.values[i]
			}
		}
		if s.values != [4]int64{} {
			list = append(list, s)
		}
	}
	return list
}
