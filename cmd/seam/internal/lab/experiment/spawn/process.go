package spawn

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

func setupProcess() (*lab.Op, error) {
	exe, err := exec.LookPath("true")
	if err != nil {
		return nil, lab.Skip("the program true was not found: %v", err)
	}
	if err := runProcess(exe); err != nil {
		return nil, lab.Skip("can't start %s: %v", exe, err)
	}
	return &lab.Op{Run: func(n int) {
		for range n {
			if err := runProcess(exe); err != nil {
				// It worked before; a wrong price must not be shown.
				panic(fmt.Errorf("spawn: can't start %s any more: %w", exe, err))
			}
		}
	}}, nil
}

func runProcess(exe string) error {
	p, err := os.StartProcess(exe, []string{exe}, &os.ProcAttr{})
	if err != nil {
		return err
	}
	_, err = p.Wait()
	return err
}

// parkProcesses starts n times cat, which waits for input that never comes.
// The end of its input ends it, also when this program dies.
func parkProcesses(ctx context.Context, n int) ([]lab.Metric, error) {
	if runtime.GOOS != "linux" {
		return nil, lab.Skip("Linux only: reads memory from /proc")
	}
	exe, err := exec.LookPath("cat")
	if err != nil {
		return nil, lab.Skip("the program cat was not found: %v", err)
	}
	if err := needMemory(int64(n)<<20, n, "processes"); err != nil {
		return nil, err
	}
	waiting := make([]*waiter, 0, n)
	defer func() {
		for _, w := range waiting {
			w.stop()
		}
	}()
	for range n {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		w, err := startWaiter(exe)
		if err != nil {
			return nil, lab.Skip("can't start process %d of %d: %v", len(waiting)+1, n, err)
		}
		waiting = append(waiting, w)
	}
	var pss, tables int64
	for _, w := range waiting {
		v, err := subprocess.Field(fmt.Sprintf("/proc/%d/smaps_rollup", w.proc.Pid), "Pss")
		if err != nil {
			return nil, lab.Skip("can't read the memory of a process: %v", err)
		}
		pss += v
		if v, err := subprocess.Field(fmt.Sprintf("/proc/%d/status", w.proc.Pid), "VmPTE"); err == nil {
			tables += v
		}
	}
	proportional := float64(pss) / float64(n)
	kernel := float64(tables)/float64(n) + float64(kernelStack())
	return []lab.Metric{
		{Name: processName, Unit: "B/unit", Value: proportional + kernel, Label: "parked process, resident (PSS) and kernel"},
		{Name: processName + residentName, Unit: "B/unit", Value: proportional, Label: "parked process, resident (PSS)"},
		{Name: processName + kernelName, Unit: "B/unit", Value: kernel, Label: "parked process, page tables and kernel stack"},
		{Name: processName + countName, Unit: "count", Value: float64(n), Label: "processes parked"},
	}, nil
}

// A waiter is a process that waits for input.
type waiter struct {
	proc *os.Process
	in   *os.File
}

// startTimeout is how long a process may take to show that it runs.
const startTimeout = 10 * time.Second

// startWaiter starts cat and sends one byte through it: when that comes back,
// the process has loaded all it needs and waits for more.
func startWaiter(exe string) (*waiter, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer out.Close()
	proc, err := os.StartProcess(exe, []string{exe}, &os.ProcAttr{Files: []*os.File{stdin, stdout, nil}})
	stdout.Close() // ours: now the end of the process is the end of out
	if err != nil {
		in.Close()
		return nil, err
	}
	w := &waiter{proc, in}
	_ = out.SetReadDeadline(time.Now().Add(startTimeout)) // pipes have deadlines on Linux
	_, err = in.Write([]byte{'.'})
	if err == nil {
		_, err = out.Read(make([]byte, 1))
	}
	if err != nil {
		w.stop()
		return nil, fmt.Errorf("%s did not answer: %w", exe, err)
	}
	return w, nil
}

func (w *waiter) stop() {
	w.in.Close()
	_ = w.proc.Kill() // for one that does not care about the end of its input
	_, _ = w.proc.Wait()
}
