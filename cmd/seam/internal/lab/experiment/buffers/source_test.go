package buffers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
)

// testJob is a job that the test closes.
func testJob(t *testing.T, size int, io bool) *job {
	t.Helper()
	j, err := newJob(size, io)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	return j
}

func TestWorkFillsBothBuffers(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range sizes {
		for io, want := range map[bool][]byte{false: source()[:size], true: program[:size]} {
			j := testJob(t, size, io)
			a, b := make([]byte, size), make([]byte, size)
			j.do(a, b)
			if j.err != nil || !bytes.Equal(a, want) || !bytes.Equal(b, want) {
				t.Errorf("%s, file %v: the buffers hold something else; error %v", kb(size), io, j.err)
			}
		}
	}
}

func TestWorkThatFailsSaysWhy(t *testing.T) {
	j := testJob(t, 4096, true)
	b := make([]byte, 4096)
	j.path = filepath.Join(t.TempDir(), "gone")
	j.do(b, b)
	if err := failed([]*job{{}, j}); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("a missing file: error %v", err)
	}

	short := testJob(t, 4096, true)
	short.path = filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short.path, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	short.do(b, b)
	if err := failed([]*job{short}); err == nil || !strings.Contains(err.Error(), "100 of 4096 bytes") {
		t.Errorf("a short file: error %v", err)
	}
}

// Buffers are where their name says: in the heap, or not.
func TestWhereBuffersAre(t *testing.T) {
	for _, size := range sizes {
		for _, from := range []string{fromStack, clearedOnceOf, fromReuse, fromFreelist, fromMake} {
			t.Run(fmt.Sprintf("%s/%s", from, kb(size)), func(t *testing.T) {
				uses, err := open(from, []*job{testJob(t, size, false)})
				labtest.Measured(t, err)
				got, want := perUse(uses[0]), 0.0
				if from == fromMake {
					want = float64(2 * size)
				}
				if got < want || got > want+float64(size)/2 {
					t.Errorf("one use takes %v bytes of heap, want %v", got, want)
				}
			})
		}
	}
}

// This Go keeps arrays of up to 128 KB on the stack, as every one so far.
func TestArraysStay(t *testing.T) {
	for size := range arraysBySize {
		if _, err := open(fromStack, []*job{testJob(t, size, false)}); err != nil {
			t.Errorf("%s: %v", kb(size), err)
		}
	}
	if len(arraysBySize) != len(sizes) {
		t.Errorf("functions for %d sizes, want %d", len(arraysBySize), len(sizes))
	}
}

func TestArraysInTheHeapAreNotMeasured(t *testing.T) {
	j := testJob(t, 4096, false)
	err := onlyOnStack(makes(j), 4096)
	var nm *lab.NotMeasured
	if !errors.As(err, &nm) || !strings.Contains(nm.Reason, "4 KB moves to the heap with "+runtime.Version()) {
		t.Errorf("error is %v", err)
	}
}

// Each goroutine works on buffers of its own, whatever they are from.
func TestBuffersAreNotShared(t *testing.T) {
	const goroutines = 4
	for _, from := range froms {
		t.Run(from, func(t *testing.T) {
			var jobs []*job
			for range goroutines {
				jobs = append(jobs, testJob(t, 4096, true))
			}
			uses, err := open(from, jobs)
			labtest.Measured(t, err)
			team := newTeam(uses)
			defer team.close()
			if d := team.time(50); d <= 0 { // the race detector watches
				t.Errorf("50 uses take %v", d)
			}
			if err := failed(jobs); err != nil {
				t.Error(err)
			}
		})
	}
}
