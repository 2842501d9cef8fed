//go:build linux && (amd64 || arm64) && cgo

package outside

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/internal/testenv"
)

func TestRecords(t *testing.T) {
	var data []byte
	record := func(kind uint32, words ...uint64) {
		data = binary.NativeEndian.AppendUint32(data, kind)
		data = binary.NativeEndian.AppendUint16(data, 0)
		data = binary.NativeEndian.AppendUint16(data, uint16(8+8*len(words)))
		for _, w := range words {
			data = binary.NativeEndian.AppendUint64(data, w)
		}
	}
	const user = 1<<64 - 512 // what follows is the program's
	record(unix.PERF_RECORD_SAMPLE, 3, user, 0x10, 0x20)
	record(unix.PERF_RECORD_LOST, 1, 5)
	record(99)
	record(unix.PERF_RECORD_SAMPLE, 1<<40, user, 0x30) // it says that there are more
	record(unix.PERF_RECORD_SAMPLE)
	var got [][]uint64
	lost := records(data, func(stack []uint64) { got = append(got, stack) })
	if want := [][]uint64{{0x10, 0x20}, {0x30}}; lost != 5 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d lost, %#x; want 5, %#x", lost, got, want)
	}
	for n := range data { // cut off anywhere
		records(data[:n], func([]uint64) {})
	}
}

// start runs testdata/share.
func start(t *testing.T, program, mode string) int {
	t.Helper()
	cmd := exec.Command(program, mode)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the program says %q, %v", line, err)
	}
	return cmd.Process.Pid
}

// sample looks until there are enough samples to tell the programs apart, however busy the machine is.
func sample(t *testing.T, pid int) *Report {
	t.Helper()
	for long := time.Second; ; long *= 2 {
		r, err := Sample(context.Background(), pid, long)
		if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOENT) {
			testenv.Missing(t, err.Error())
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Samples.All >= 900 {
			return r
		}
		if long > time.Minute {
			t.Fatalf("%d samples in %v", r.Samples.All, long)
		}
	}
}

// Programs of which it is known what they do with their time, whatever the machine makes of it.
func TestKnownShares(t *testing.T) {
	testenv.GoProgram(t)
	program := filepath.Join(t.TempDir(), "share")
	if out, err := exec.Command("go", "build", "-o", program, "testdata/share/main.go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Run("nothing but calls", func(t *testing.T) {
		r := sample(t, start(t, program, "calls"))
		if lo, _ := r.Crossings(); lo < 0.3 || r.Samples.Out < 9*r.Samples.Back || !r.Worth() {
			t.Errorf("crossings take %.2f or more; %+v", lo, r.Samples)
		}
		if !r.Counted || r.Calls < 1000 {
			t.Errorf("%d calls (%v)", r.Calls, r.Counted)
		}
	})
	t.Run("callbacks", func(t *testing.T) {
		if r := sample(t, start(t, program, "callbacks")); r.Samples.Back < r.Samples.Out || r.Samples.Back*10 < r.Samples.All {
			t.Errorf("%+v", r.Samples)
		}
	})
	t.Run("a call now and then, and system calls", func(t *testing.T) {
		r := sample(t, start(t, program, "few"))
		if _, hi := r.Crossings(); r.Samples.Out > r.Samples.All/25 { // on a busy machine a thread comes back the long way
			t.Errorf("crossings take up to %.4f; %+v", hi, r.Samples)
		}
	})
	t.Run("C alone", func(t *testing.T) {
		r := sample(t, start(t, program, "c"))
		if r.Worth() && r.Samples.Out > r.Samples.All/25 || r.Samples.C < r.Samples.All/2 {
			t.Errorf("%+v", r.Samples)
		}
		in := 0
		for _, n := range r.InC {
			if n >= 1 {
				in++
			}
		}
		if in*2 < len(r.InC) {
			t.Errorf("a thread was in C in %d of %d looks", in, len(r.InC))
		}
	})
}

func TestWhatCantBeSampled(t *testing.T) {
	for _, c := range []struct {
		name, says string
		pid        func() int
	}{
		{"no process", "there is no process 999999999", func() int { return 999999999 }},
		{"no Go program", "is no Go program", func() int {
			cmd := exec.Command("sleep", "60")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			})
			for { // until it is no longer a copy of this one
				if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", cmd.Process.Pid)); err != nil || strings.HasSuffix(exe, "sleep") || strings.Contains(exe, "box") {
					return cmd.Process.Pid
				}
			}
		}},
	} {
		if r, err := Sample(context.Background(), c.pid(), time.Millisecond); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v; want %q", c.name, r, err, c.says)
		}
	}
}
