package progcache

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// Patient is for tests: nobody takes them for hung, and the machine may be as busy as it likes.
var Patient bool

// TimeLimit is how long the builds of a process may take in all. It is below the time after
// which a silent worker is taken for hung.
func TimeLimit(mode lab.Mode) time.Duration {
	if Patient {
		return time.Hour
	}
	if mode == lab.Quick {
		return 50 * time.Second
	}
	return 4 * time.Minute
}

// A Once builds the programs of this process, each once. The zero Once is ready.
type Once[K comparable] struct {
	mu    sync.Mutex
	built map[K]*outcome
}

type outcome struct {
	path string
	err  error
}

// Get is the path of the program k. The first who asks for one has all of the list built, as
// many at a time as there are processors.
func (o *Once[K]) Get(ctx context.Context, mode lab.Mode, k K, all []K, build func(context.Context, K) (string, error)) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.built == nil {
		o.built = map[K]*outcome{}
	}
	if o.built[k] == nil {
		ctx, cancel := context.WithTimeoutCause(ctx, TimeLimit(mode), fmt.Errorf("it took more than %v", TimeLimit(mode)))
		defer cancel()
		var wait sync.WaitGroup
		turns := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)))
		for _, one := range append(all[:len(all):len(all)], k) {
			if o.built[one] != nil {
				continue
			}
			made := &outcome{}
			o.built[one] = made
			wait.Go(func() {
				turns <- struct{}{}
				defer func() { <-turns }()
				made.path, made.err = build(ctx, one)
			})
		}
		wait.Wait()
	}
	made := o.built[k]
	return made.path, made.err
}
