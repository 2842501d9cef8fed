package dl

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Lib is a loaded library. All methods may be called by any goroutine.
type Lib struct {
	name   string
	handle uintptr
	calls  counter     // announced calls that run
	closed atomic.Bool // or being closed

	running processors // announced calls that run, of those that are counted by assembly

	mu     sync.Mutex
	leaves []*function
}

// An OpenError says what Open has tried.
type OpenError struct{ Tried []Attempt }

// An Attempt is a name that Open tried, and why it failed.
type Attempt struct {
	Name string
	Err  error
}

func (e *OpenError) Error() string {
	if len(e.Tried) == 0 {
		return "dl: no name of a library was given to Open"
	}
	var b strings.Builder
	b.WriteString("dl: can't load ")
	for i, a := range e.Tried {
		if i > 0 {
			b.WriteString("; nor ")
		}
		fmt.Fprintf(&b, "%s: %v", a.Name, a.Err)
	}
	return b.String()
}

// Unwrap returns the error of each attempt.
func (e *OpenError) Unwrap() (errs []error) {
	for _, a := range e.Tried {
		errs = append(errs, a.Err)
	}
	return errs
}

// Open loads the first of the libraries that can be loaded. A name without a slash is looked
// for as the system's loader does it; on Linux give the name with its version, as
// libz.so.1, since the one without is part of the development package. All symbols of the
// library are resolved at once, and none is made visible to others. The error is an [*OpenError].
func Open(names ...string) (*Lib, error) {
	failed := &OpenError{}
	for _, name := range names {
		handle, err := load(name)
		if err == nil {
			return &Lib{name: name, handle: handle}, nil
		}
		failed.Tried = append(failed.Tried, Attempt{name, err})
	}
	return nil, failed
}

// Name returns the name by which the library was found.
func (l *Lib) Name() string { return l.name }

// A SymbolError says that a library lacks a symbol.
type SymbolError struct {
	Lib, Symbol string
	Err         error // the loader's
}

func (e *SymbolError) Error() string {
	return fmt.Sprintf("dl: %s has no symbol %s: %v", e.Lib, e.Symbol, e.Err)
}

func (e *SymbolError) Unwrap() error { return e.Err }

// Symbol returns the address of a function or variable of the library. It is valid until
// the library is closed. The error is a [*SymbolError].
func (l *Lib) Symbol(name string) (unsafe.Pointer, error) {
	address, err := l.symbol(name)
	return *(*unsafe.Pointer)(unsafe.Pointer(&address)), err // a C address, which the garbage collector ignores
}

// Has reports whether the library has the symbol, for functions that came with some version.
func (l *Lib) Has(name string) bool {
	_, err := l.symbol(name)
	return err == nil
}

func (l *Lib) symbol(name string) (uintptr, error) {
	if l.closed.Load() {
		return 0, &SymbolError{l.name, name, errors.New("the library is closed")}
	}
	if strings.ContainsRune(name, 0) {
		return 0, &SymbolError{l.name, name, errors.New("no name has a zero byte")}
	}
	address, err := lookup(l.handle, name)
	if err == nil && address == 0 {
		err = errors.New("its address is null")
	}
	if err != nil {
		return 0, &SymbolError{l.name, name, err}
	}
	return address, nil
}

func (l *Lib) function(name string, t reflect.Type, leaf bool) (*function, error) {
	address, err := l.symbol(name)
	if err != nil {
		return nil, err
	}
	return l.at(name, address, t, leaf)
}

// at returns the function at an address in the library.
func (l *Lib) at(name string, address uintptr, t reflect.Type, leaf bool) (*function, error) {
	f, err := newFunction(l, name, address, t, leaf)
	if err == nil && leaf && l != linked { // which is never closed
		l.mu.Lock()
		defer l.mu.Unlock()
		l.leaves = append(l.leaves, f)
	}
	return f, err
}

// A BusyError says that a library can't be closed.
type BusyError struct {
	Lib   string
	Calls int64 // that were running
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("dl: %s is not closed: %d of its calls are running", e.Lib, e.Calls)
}

// Close unloads the library, unless calls of it are running: then it does nothing and returns
// a [*BusyError]. Functions of a closed library panic when they are called. Memory that the
// library gave out may be gone, and so are functions that C was told to call. To close a library
// again is no error.
//
// Few programs need it. It stops all goroutines for a moment, to see that no leaf is running.
func (l *Lib) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed.Swap(true) {
		return nil
	}
	for _, f := range l.leaves {
		f.guard.suspend(f)
	}
	// A goroutine in a leaf can't be stopped before C returns. So when all have been stopped,
	// those that had read the quick entry are through, and the rest find the library closed.
	runtime.ReadMemStats(new(runtime.MemStats))
	if n := l.calls.sum() + l.running.sum(); n != 0 {
		l.closed.Store(false) // leaves get their quick entries back when they are called
		return &BusyError{l.name, n}
	}
	if err := unload(l.handle); err != nil {
		return fmt.Errorf("dl: %s: %w", l.name, err)
	}
	return nil
}

// enter notes that a call of the function runs, until its count is taken back. at is on the goroutine's
// stack.
func (l *Lib) enter(at unsafe.Pointer, function string) (running *atomic.Int64) {
	running = l.calls.at(at)
	for running.Add(1); l.closed.Load(); running.Add(1) {
		running.Add(-1)
		l.mu.Lock() // a Close that is refused changes it back
		closed := l.closed.Load()
		l.mu.Unlock()
		if closed {
			panic("dl: " + function + " is called, and its library " + l.name + " is closed")
		}
	}
	return running
}

// A counter counts what many goroutines enter and leave. Goroutines with different
// stacks mostly write different cache lines.
type counter [16]struct {
	atomic.Int64
	_ [120]byte
}

// at returns the line for a goroutine that has p on its stack.
func (c *counter) at(p unsafe.Pointer) *atomic.Int64 {
	return &c[uintptr(p)>>13%uintptr(len(c))].Int64
}

func (c *counter) sum() (n int64) {
	for i := range c {
		n += c[i].Load()
	}
	return n
}

// processors counts calls without atomic operations. Each processor of the runtime (P) has a place, which
// only assembly on that processor changes; the last place is for all others. A call may end on
// another processor than it began on, so only the sum says something, and only while no call
// begins: when the library is closed and all goroutines have been stopped since.
type processors [processorsN + 1]struct {
	atomic.Int64
	_ [1<<processorShift - 8]byte
}

const (
	processorsN    = 64
	processorShift = 7
)

func (c *processors) sum() (n int64) {
	for i := range c {
		n += c[i].Load()
	}
	return n
}
