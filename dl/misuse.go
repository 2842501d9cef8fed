package dl

//lint:file-ignore U1000 the assembly calls what seems unused

import "sync"

// Leaves that are announced, because they were demoted or nothing else is possible here, may
// have arguments on the goroutine's stack, which a callback could move. So they are known by
// their goroutine, and a callback ends the program.
var noCallbacks sync.Map // goroutine → *function

// forbidCallbacks notes that the goroutine is in f, and returns what ends that.
func (f *function) forbidCallbacks() (end func()) {
	g := goroutine()
	if g == 0 {
		return func() {}
	}
	noCallbacks.Store(g, f)
	return func() { noCallbacks.Delete(g) }
}

// mayBeCalled ends the program if C must not call Go on this goroutine.
func mayBeCalled() {
	g := goroutine()
	if g == 0 {
		return
	}
	if f, ok := noCallbacks.Load(g); ok {
		fatal("dl: the C function " + f.(*function).name + ", which is called as a dl.Leaf, called Go: make it a dl.Func")
	}
}

// fatal ends the program with a message. A panic could be recovered by who called C.
func fatal(message string) {
	go panic(message)
	select {}
}
