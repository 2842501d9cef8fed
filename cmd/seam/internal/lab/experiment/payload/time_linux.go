package payload

import (
	"context"
	"sync"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// An order is what a program is to do, an answer what it says. They are those of
// program/main.go.
type order struct {
	Do    string
	Bytes int
	Via   string
	Part  string
	Tight bool
	N     int
	Input []byte
	Users int
}

type answer struct {
	Wrong   string
	Library string
	NS      int64
	Allocs  float64
	Bytes   float64
	Port    int
	Message []byte
	Output  []byte
}

// A staff is the programs that this process has started, one for each library, shared by
// the cases.
type staff struct {
	mu      sync.Mutex
	running map[string]*worker
}

var everybody = staff{running: map[string]*worker{}}

type worker struct {
	lib   string
	child *subprocess.Child
	users int
}

// hire starts a library's program, or joins those that have. The worker is to be left.
func hire(ctx context.Context, b *lab.Bench, lib string) (*worker, error) {
	everybody.mu.Lock()
	defer everybody.mu.Unlock()
	if w := everybody.running[lib]; w != nil {
		w.users++
		return w, nil
	}
	path, err := program(ctx, b.Mode, lib)
	if err != nil {
		return nil, err
	}
	child, err := subprocess.StartProgram(ctx, path)
	if err != nil {
		return nil, err
	}
	w := &worker{lib, child, 1}
	everybody.running[lib] = w
	return w, nil
}

// leave ends the program when nobody needs it any more.
func (w *worker) leave() {
	everybody.mu.Lock()
	defer everybody.mu.Unlock()
	if w.users--; w.users == 0 {
		delete(everybody.running, w.lib)
		w.child.Close()
	}
}

// ask has the program do something.
func (w *worker) ask(o order) (answer, error) {
	var a answer
	if err := w.child.Ask(o, &a); err != nil {
		return a, err
	}
	if a.Wrong != "" {
		return a, lab.Skip("%s: %s", labels[w.lib], a.Wrong)
	}
	return a, nil
}

// took is the CPU time that the program needed for o.
func (w *worker) took(o order) (time.Duration, error) {
	a, err := w.ask(o)
	return time.Duration(a.NS), err
}

// start makes the operation that answers one message.
func start(ctx context.Context, b *lab.Bench, bytes int, lib, via string) (*lab.Op, error) {
	if err := tooLong(bytes, lib, via); err != nil {
		return nil, err
	}
	return piece(ctx, b, lib, order{Do: "time", Bytes: bytes, Via: via}, 2*b.Stretch)
}

// piece makes the operation that does o.
func piece(ctx context.Context, b *lab.Bench, lib string, o order, stretch time.Duration) (*lab.Op, error) {
	w, err := hire(ctx, b, lib)
	if err != nil {
		return nil, err
	}
	var took time.Duration
	for o.N = 1; took < stretch/8 && o.N < 1<<24 && err == nil; {
		o.N *= 4
		took, err = w.took(o)
	}
	if err != nil {
		w.leave()
		return nil, err
	}
	return &lab.Op{
		N: max(1, int(float64(o.N)*float64(stretch)/float64(max(took, 1)))),
		Time: func(n int) time.Duration {
			o.N = n
			took, err := w.took(o)
			if err != nil {
				panic(err) // it worked before
			}
			return max(took, 1)
		},
		Close: w.leave,
	}, nil
}

// probeAllocations counts what every case of the mode allocates on Go's heap.
func probeAllocations(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) {
	var list []lab.Metric
	for _, lib := range libs(b.Mode) {
		w, err := hire(ctx, b, lib)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue // its timed cases say why
		}
		for _, bytes := range sizes(b.Mode) {
			for _, via := range viasOf(lib) {
				if tooLong(bytes, lib, via) != nil {
					continue
				}
				a, err := w.ask(order{Do: "allocate", Bytes: bytes, Via: via, N: 100})
				if err != nil {
					w.leave()
					return nil, err
				}
				what := a.Library + ", " + via // with its version
				list = append(list,
					lab.Metric{Name: name(bytes, lib, via), Unit: unitAllocs, Value: a.Allocs, Label: what + ": allocations"},
					lab.Metric{Name: name(bytes, lib, via), Unit: unitBytes, Value: a.Bytes, Label: what + ": bytes allocated"})
			}
		}
		w.leave()
	}
	return list, nil
}
