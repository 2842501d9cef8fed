//go:build linux

package subprocess

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
)

func init() {
	Emulator = os.Getenv("SEAM_TEST_EMULATOR")
	Hook("subprocess-test", serve)
}

// serve does what the parent says until it is ended.
func serve(p *Pipe) error {
	for {
		var order string
		if err := p.Receive(&order); err != nil {
			return err
		}
		switch order {
		case "exit":
			os.Exit(3)
		case "leave":
			os.Exit(0)
		case "error":
			return errors.New("I have had enough")
		case "hang":
			select {}
		}
		fmt.Println("printed, which is no answer")
		if err := p.Send(order + "!"); err != nil {
			return err
		}
	}
}

func start(t *testing.T, ctx context.Context) *Child {
	t.Helper()
	c, err := Start(ctx, "subprocess-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestValuesGoBothWays(t *testing.T) {
	before := labtest.Leftovers(t)
	c, err := Start(t.Context(), "subprocess-test")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"a", "b", strings.Repeat("long", 100_000)} {
		var answer string
		if err := c.Send(word); err != nil {
			t.Fatal(err)
		}
		if err := c.Receive(&answer); err != nil || answer != word+"!" {
			t.Fatalf("answer %.20q, error %v", answer, err)
		}
	}
	if c.Words() != "printed, which is no answer" {
		t.Errorf("it printed %q", c.Words())
	}
	c.Close()
	c.Close() // once is enough, twice is no fault
	labtest.NoMoreThan(t, before)
}

func TestDeathIsTold(t *testing.T) {
	for _, tt := range []struct{ order, says string }{
		{"exit", "exit status 3"},
		{"leave", "it ended without an answer"},
		{"error", "I have had enough"},
	} {
		t.Run(tt.order, func(t *testing.T) {
			c := start(t, t.Context())
			if err := c.Send(tt.order); err != nil {
				t.Fatal(err)
			}
			var answer string
			if err := c.Receive(&answer); !errors.Is(err, ErrDied) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want %q in it", err, tt.says)
			}
		})
	}
}

func TestEndOfContextEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := start(t, ctx)
	if err := c.Send("hang"); err != nil {
		t.Fatal(err)
	}
	cancel()
	var answer string
	if err := c.Receive(&answer); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The end of its standard input is the end of the parent.
func TestChildDoesNotOutliveItsParent(t *testing.T) {
	c := start(t, t.Context())
	if err := c.Send("hang"); err != nil {
		t.Fatal(err)
	}
	c.stdin.Close()
	ended := make(chan error, 1)
	go func() { ended <- c.wait() }()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "exit status 1") {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it still runs")
	}
}

func TestQuantile(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	for _, tt := range []struct {
		values  []float64
		q, want float64
	}{
		{nil, 0.5, 0},
		{[]float64{7}, 0.99, 7},
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{4, 3, 2, 1}, 0.5, 2},
		{hundred, 0.99, 99},
		{hundred, 0.5, 50},
		{hundred, 1, 100},
		{hundred, 0, 1},
	} {
		if got := Quantile(slices.Clone(tt.values), tt.q); got != tt.want {
			t.Errorf("quantile %v of %v is %v, want %v", tt.q, tt.values, got, tt.want)
		}
	}
}

func TestLimits(t *testing.T) {
	if err := NeedFiles(10); err != nil {
		t.Error(err)
	}
	if err := NeedThreads(1); err != nil {
		t.Error(err)
	}
	const all = 1 << 30
	for _, err := range []error{NeedFiles(all), NeedThreads(all)} {
		var nm *lab.NotMeasured
		if !errors.As(err, &nm) || !strings.Contains(nm.Reason, "raise") {
			t.Errorf("error %v, want a reason with what to do", err)
		}
	}
	for load, want := range map[string]int64{"0.00 0.01 0.05 2/345 678\n": 345, "0.00 0.01": 0, "": 0, "a b c d/e f": 0} {
		if got := Tasks(load); got != want {
			t.Errorf("%q has %d threads, want %d", load, got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	before, err := ReadUsage()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	for range 100 {
		go func() { time.Sleep(time.Millisecond); done <- struct{}{} }()
		<-done
	}
	after, err := ReadUsage()
	if err != nil {
		t.Fatal(err)
	}
	if u := after.Since(before); u.Switches <= 0 || u.CPU < 0 || u.MutexWait < 0 {
		t.Errorf("used %+v", u)
	}
	threads, err := Threads()
	if err != nil || threads < 1 {
		t.Errorf("%d threads, error %v", threads, err)
	}
	small, err := Memory()
	if err != nil {
		t.Fatal(err)
	}
	// Not of the heap, which may have such a block already.
	block, err := unix.Mmap(-1, 0, 64<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Munmap(block); err != nil {
			t.Error(err)
		}
	}()
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	large, err := Memory()
	if err != nil || large-small < 32<<20 {
		t.Errorf("64 MiB more are %d bytes more (%v)", large-small, err)
	}
}
