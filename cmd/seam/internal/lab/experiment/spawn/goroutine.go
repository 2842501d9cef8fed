package spawn

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

func setupGoroutine() (*lab.Op, error) {
	done := make(chan struct{})
	return &lab.Op{Run: func(n int) {
		for range n {
			go func() { done <- struct{}{} }()
			<-done
		}
	}}, nil
}

// roomPerGoroutine is what must be free for each goroutine before the lab
// starts many: a 2 KB stack, its descriptors, and reserve.
const roomPerGoroutine = 4 << 10

// A crowd is many goroutines that wait on one channel.
type crowd struct {
	release chan struct{}
	gone    sync.WaitGroup
}

// park starts n goroutines and returns when all have run as far as their wait.
// The crowd must be sent home, even after an error.
func (c *crowd) park(ctx context.Context, n int) error {
	c.release = make(chan struct{})
	var ready sync.WaitGroup
	for i := range n {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		ready.Add(1)
		c.gone.Add(1)
		go func() {
			defer c.gone.Done()
			ready.Done()
			<-c.release
		}()
	}
	ready.Wait()
	return nil
}

// home ends all goroutines of the crowd.
func (c *crowd) home() {
	close(c.release)
	c.gone.Wait()
}

// raceLimit is a round number below what the race detector dies of.
const raceLimit = 8000

// small is a crowd just large enough to set the average of stacks.
const small = 1000

// parkGoroutines measures n goroutines that wait on one channel.
func parkGoroutines(ctx context.Context, n int) ([]lab.Metric, error) {
	if err := needMemory(int64(n)*roomPerGoroutine, n, "goroutines"); err != nil {
		return nil, err
	}
	if raceDetector && n > raceLimit-small {
		return nil, lab.Skip("built with -race, which allows %d goroutines; %d are wanted", raceLimit, n)
	}
	defer debug.FreeOSMemory() // runs last
	// A new stack is as large as the average one in use at the last collection:
	// 4 KB if that saw only the lab's few deep stacks, 2 KB in a program that
	// has many goroutines like ours. A small crowd makes this such a program.
	var before, many crowd
	defer before.home()
	if err := before.park(ctx, small); err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // what earlier cases freed would be reused unseen
	resident0, errResident := subprocess.Resident()
	account0 := account()

	start := time.Now()
	defer many.home()
	if err := many.park(ctx, n); err != nil {
		return nil, err
	}
	took := time.Since(start)

	runtime.GC() // a program that runs on has collected its garbage once
	resident1, err := subprocess.Resident()
	if errResident == nil {
		errResident = err
	}
	account1 := account()

	each := func(d int64) float64 { return float64(d) / float64(n) }
	found := []lab.Metric{
		{Name: runtimeName, Unit: "B/unit", Value: each(account1 - account0), Label: "parked goroutine, Go runtime's account"},
		{Name: goroutineName + "/what=stack", Unit: "B/unit", Value: float64(subprocess.StartingStack()), Label: "starting stack of a goroutine"},
		{Name: parkName, Unit: "ns/unit", Value: each(took.Nanoseconds()), Label: "start one of many goroutines and park it"},
		{Name: goroutineName + countName, Unit: "count", Value: float64(n), Label: "goroutines parked"},
	}
	if errResident == nil {
		found = append([]lab.Metric{{Name: goroutineName, Unit: "B/unit", Value: each(resident1 - resident0), Label: "parked goroutine, resident"}}, found...)
	}
	return found, nil
}

// account is what the runtime holds for stacks and heap, in bytes.
func account() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.StackInuse + m.HeapInuse)
}
