package calltrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
)

var kind = jsonfile.Kind{
	Schema: "seam.trace/1", Number: "schema",
	Name: "a trace of seam", Make: "seam trace -- go test", Has: []string{"processes", "functions"},
	Bytes: 256 << 20, Objects: 8_000_000, // a trace of thousands of functions is far below
	Other: func(data []byte) error {
		if bytes.HasPrefix(data, []byte(magic)) {
			return errors.New("this is the recording of one process and not a trace; make one from it with: seam trace --collect")
		}
		return nil
	},
}

// Encode writes the trace as indented JSON.
func (f *File) Encode(w io.Writer) error { return kind.Encode(w, f) }

// Read reads the trace in a file.
func Read(name string) (*File, error) { return jsonfile.Read[File](&kind, name) }

// Check finds values that contradict each other, so that code that works with a
// trace needs no checks of its own.
func (f *File) Check() error {
	if m := f.Machine; m != nil {
		for _, list := range [][]Bin{m.Stalls, m.Lost} {
			for k, b := range list {
				if k > 0 && b.UpToNS <= list[k-1].UpToNS {
					return errors.New("machine: its histogram is not in order")
				}
			}
		}
	}
	seen := map[[2]string]bool{}
	for i := range f.Functions {
		x := &f.Functions[i]
		at := fmt.Sprintf("function %d (%s.%s)", i, x.Package, x.Name)
		switch key := [2]string{x.Package, x.Name}; {
		case x.Package == "" || x.Name == "":
			return fmt.Errorf("function %d has no package or no name", i)
		case seen[key]:
			return fmt.Errorf("%s is there twice", at)
		default:
			seen[key] = true
		}
		sum, last := x.Unfinished, uint64(0)
		for k, b := range x.Histogram {
			if k > 0 && b.UpToNS <= last || b.Calls > x.Calls {
				return fmt.Errorf("%s: its histogram is not in order", at)
			}
			last = b.UpToNS
			sum += b.Calls
		}
		if sum != x.Calls {
			return fmt.Errorf("%s: calls is %d, and its histogram and unfinished have %d", at, x.Calls, sum)
		}
		if x.CrossingNS < 0 {
			return fmt.Errorf("%s: crossing_ns is negative", at)
		}
	}
	return nil
}
