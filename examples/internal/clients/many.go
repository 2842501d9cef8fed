package clients

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/seamgo/seam/examples/internal/servers/usage"
)

// A Conn is a pointer to a connection.
type Conn interface {
	comparable
	Close()
}

// ConnectAll makes n connections, some at a time.
func ConnectAll[C Conn](n int, connect func() (C, error)) ([]C, error) {
	conns, errs := make([]C, n), make([]error, n)
	few := make(chan struct{}, 16) // the server starts a process for each
	var all sync.WaitGroup
	for i := range conns {
		few <- struct{}{}
		all.Go(func() {
			conns[i], errs[i] = connect()
			<-few
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			CloseAll(conns)
			return nil, err
		}
	}
	return conns, nil
}

// CloseAll closes the connections that are not nil.
func CloseAll[C Conn](conns []C) {
	var none C
	for _, c := range conns {
		if c != none {
			c.Close()
		}
	}
}

// AskAll asks n times at once and returns the most threads that were seen meanwhile.
func AskAll(n int, ask func(i int) error) (threads int, err error) {
	errs := make(chan error, n)
	for i := range n {
		go func() { errs <- ask(i) }()
	}
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for ended := 0; ended < n; {
		select {
		case e := <-errs:
			ended++
			if err == nil {
				err = e
			}
		case <-look.C:
			now, e := usage.Read()
			if e != nil && err == nil {
				err = e
			}
			threads = max(threads, now.Threads)
		}
	}
	return threads, err
}

// Measure prints how long AskAll takes, and on how many threads.
func Measure(w io.Writer, n int, ask func(i int) error) error {
	before, err := usage.Read()
	if err != nil {
		return err
	}
	start := time.Now()
	threads, err := AskAll(n, ask)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "time:     %.2f s\n", time.Since(start).Seconds())
	fmt.Fprintf(w, "threads:  %d before, at most %d meanwhile\n", before.Threads, threads)
	return nil
}
