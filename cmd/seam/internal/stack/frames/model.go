package frames

import "github.com/seamgo/seam/cmd/seam/internal/stack/symbols"

// A model is what the runtime does with stacks. These are constants of its source,
// the same in Go 1.21 to 1.27 on Linux, and a test compares them with the source of
// the Go at hand.
type model struct {
	start int64 // of a fresh goroutine: stackMin of runtime/stack.go
	guard int64 // stackGuard of runtime/stack.go: what the stack pointer keeps from the end
	taken int64 // of a fresh stack, above the stack pointer with which the goroutine's function begins
	limit int64 // runtime.maxstacksize of 64-bit systems: larger stacks end the program
}

const (
	stackMin     = 2048 // runtime/stack.go
	nosplitBase  = 800  // abi.StackNosplitBase
	maxStackSize = 1000000000
)

// newModel is the model for a program.
//
// stackGuard is abi.StackNosplitBase times sys.StackGuardMultiplier, which is 2
// with -race, plus abi.StackSmall.
//
// newproc1 (runtime/proc.go) leaves 4 words and sys.MinFrameSize (8 on arm64, 0 on
// amd64) at the top, a multiple of sys.StackAlign (16 on arm64). Then gostartcallfn
// makes it look as if goexit had called the function: on amd64 by a return address
// of 8 bytes on the stack, on arm64 in the link register.
func newModel(b *symbols.Binary) model {
	m := model{start: stackMin, guard: nosplitBase + small, limit: maxStackSize}
	if b.Race {
		m.guard += nosplitBase
	}
	switch b.Arch {
	case "amd64":
		m.taken = 4*8 + 8
	case "arm64":
		m.taken = 4*8 + 8 + 8
	}
	return m
}

// A check is a look of a prologue at the stack.
type check struct {
	used  int64 // bytes of stack above the stack pointer at the function's entry
	frame int64
}

// grow is the size that a stack has when a goroutine has made these checks, and
// how often it was copied.
//
// A stack that is too small is doubled, and doubled on until the frame and the
// guard have room beside what is used: more than the check asked for, by small
// (newstack in runtime/stack.go).
func (m model) grow(checks []check) (size int64, copies int) {
	size = m.start
	for _, c := range checks {
		if c.used+compared(c.frame) < size-m.guard {
			continue
		}
		copies++
		for size *= 2; size-c.used < c.frame+m.guard; {
			size *= 2
		}
		if size > m.limit { // the program ends
			return size, copies
		}
	}
	return size, copies
}
