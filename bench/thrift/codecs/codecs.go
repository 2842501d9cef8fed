// Package codecs does the same work on the same messages with the code of several
// Thrift compilers: what benchmarks and tests compare.
package codecs

import (
	"fmt"
	"sync"
)

// The operations.
const (
	Encode     = "encode"      // an object into a buffer that is used again
	Decode     = "decode"      // bytes into a fresh object
	DecodeInto = "decode-into" // bytes into an object that is used again
)

// A Subject is one operation on one message with one library.
type Subject struct {
	Op, Msg, Lib string
	Size         int // bytes of the encoded message

	// Run does the work n times.
	Run func(n int) error

	// Check does it once and returns the message in Apache's binary protocol, as
	// the library wrote it or writes what it has read. nil: there is none, the
	// library has no idea of messages.
	Check func() ([]byte, error)
}

// Name is the name of the benchmark.
func (s Subject) Name() string {
	return fmt.Sprintf("Codec/op=%s/msg=%s/lib=%s", s.Op, s.Msg, s.Lib)
}

// Messages are the names of the messages, as in [Subject].
var Messages = []string{"ex64", "ex4096", "order", "log", "blob", "points", "counters", "history", "table"}

// libraries lists, for the messages, what each library does.
var libraries = []func(Wire) ([]Subject, error){
	seamSubjects, kitexSubjects, fastgoSubjects, frugalSubjects, apacheSubjects, copySubjects, floorSubjects,
}

// All returns the subjects, those of one operation and message together.
func All() ([]Subject, error) { return all() }

var all = sync.OnceValues(func() ([]Subject, error) {
	var found []Subject
	for _, library := range libraries {
		s, err := library(Reference())
		if err != nil {
			return nil, err
		}
		found = append(found, s...)
	}
	var sorted []Subject
	for _, op := range []string{Encode, Decode, DecodeInto} {
		for _, msg := range Messages {
			for _, s := range found {
				if s.Op == op && s.Msg == msg {
					sorted = append(sorted, s)
				}
			}
		}
	}
	if len(sorted) != len(found) {
		return nil, fmt.Errorf("%d of %d subjects are of no known operation and message", len(found)-len(sorted), len(found))
	}
	return sorted, nil
})

// grow returns buf with length n.
func grow(buf []byte, n int) []byte {
	if cap(buf) < n {
		return make([]byte, n)
	}
	return buf[:n]
}

// copySubjects is the floor of encoding: the bytes are there and are copied.
func copySubjects(w Wire) ([]Subject, error) {
	var s []Subject
	for _, msg := range Messages {
		from := w[msg]
		s = append(s, Subject{Op: Encode, Msg: msg, Lib: "memcpy", Size: len(from), Run: func(n int) error {
			buf := make([]byte, len(from))
			for range n {
				copy(buf, from)
			}
			return nil
		}})
	}
	return s, nil
}
