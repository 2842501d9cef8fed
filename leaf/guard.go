//go:build cgo

package leaf

import (
	"math/bits"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/crossing"
	"github.com/seamgo/seam/leaf/internal/viacgo"
)

// guard has guard mode's settings, which don't change after start.
var guard struct {
	on     bool
	budget time.Duration
}

// guarded is what guard mode knows about one C function.
type guarded struct {
	name    viacgo.Name
	calls   atomic.Uint64
	over    atomic.Uint64
	total   atomic.Int64 // ns
	longest atomic.Int64 // ns
}

var (
	names    sync.Map // address of a C function → the name given to Of
	watched  sync.Map // address of a C function → *guarded
	reportMu sync.Mutex
)

// register remembers the name of the C function at fn for messages.
func register(fn unsafe.Pointer, name string) {
	if name != "" {
		if before, ok := names.Swap(uintptr(fn), name); !ok || before != name {
			viacgo.Register(fn, name)
		}
	}
}

// startGuard reads the settings and starts guard mode if they ask for it.
func startGuard(getenv func(string) string) {
	switch env := getenv("SEAM_GUARD"); env {
	case "", "0":
		return
	case "off", "sample", "all": // settings for functions that seam weld has welded
		return
	case "1":
	default:
		crossing.Warn("leaf", "SEAM_GUARD="+strconv.Quote(env)+" is not known (want 0 or 1); guard mode stays off")
		return
	}
	guard.budget = setting(getenv, "SEAM_GUARD_BUDGET", 20*time.Microsecond)
	limit := setting(getenv, "SEAM_GUARD_LIMIT", 10*time.Second)
	if err := viacgo.StartGuard(limit); err != nil {
		crossing.Warn("leaf", "guard mode stays off: its thread can't be started: "+err.Error())
		return
	}
	guard.on = true
	state.Guard = "budget " + guard.budget.String() + ", limit " + limit.String()
}

// setting reads a positive duration from the environment.
func setting(getenv func(string) string, key string, fallback time.Duration) time.Duration {
	env := getenv(key)
	if env == "" {
		return fallback
	}
	d, err := time.ParseDuration(env)
	if err != nil || d <= 0 {
		crossing.Warn("leaf", key+"="+strconv.Quote(env)+" is not a positive duration like 50us; going on with "+fallback.String())
		return fallback
	}
	return d
}

// A request is what C's seam_leaf_enter takes, declared so that arg may be a Go pointer: the
// assembly passes it without cgo's checks, and the runtime adjusts arg when it moves the
// stack.
type request struct {
	self uintptr
	fn   unsafe.Pointer
	arg  unsafe.Pointer
	name unsafe.Pointer
	ns   int64
	ret  int32
	done int32
}

// Go and C must agree on the size of the request: if they don't, one of these constants
// overflows.
const (
	_ = uint(unsafe.Sizeof(request{}) - viacgo.RequestSize)
	_ = uint(viacgo.RequestSize - unsafe.Sizeof(request{}))
)

// guardCall makes the call and records how long it took.
//
//go:nocheckptr
func guardCall(fn, arg unsafe.Pointer, assembly bool) int32 {
	g := watchedAs(fn)
	var (
		ret int32
		d   time.Duration
	)
	if assembly {
		// The stack may move between taking self and the call. Then C does nothing and we
		// try again.
		r := request{fn: fn, arg: arg, name: g.name.Pointer()}
		for r.done == 0 {
			r.self = uintptr(unsafe.Pointer(&r))
			direct(viacgo.Entry, unsafe.Pointer(&r))
		}
		ret, d = r.ret, time.Duration(r.ns)
	} else {
		ret, d = viacgo.Measure(fn, arg, g.name)
	}
	g.record(d)
	return ret
}

func watchedAs(fn unsafe.Pointer) *guarded {
	if g, ok := watched.Load(uintptr(fn)); ok {
		return g.(*guarded)
	}
	g, _ := watched.LoadOrStore(uintptr(fn), &guarded{name: viacgo.NewName(nameOf(uintptr(fn)))})
	return g.(*guarded)
}

// nameOf returns the name given to Of, else the symbol, else the address.
func nameOf(fn uintptr) string {
	if name, ok := names.Load(fn); ok {
		return name.(string)
	}
	return viacgo.Symbol(fn)
}

func (g *guarded) record(d time.Duration) {
	g.calls.Add(1)
	g.total.Add(int64(d))
	for {
		longest := g.longest.Load()
		if int64(d) <= longest || g.longest.CompareAndSwap(longest, int64(d)) {
			break
		}
	}
	if d <= guard.budget {
		return
	}
	// A function that is always too slow would flood the log: report the first, second,
	// fourth, eighth … time.
	if over := g.over.Add(1); bits.OnesCount64(over) == 1 {
		reportMu.Lock()
		defer reportMu.Unlock()
		os.Stderr.WriteString("seam: leaf: C function " + g.name.String() + " took " + d.String() +
			", the budget is " + guard.budget.String() + " (" + strconv.FormatUint(over, 10) + " of " +
			strconv.FormatUint(g.calls.Load(), 10) + " calls were over it)\n")
	}
}
