// Package abi has the few facts about the Go runtime's own data that Seam needs to run C on
// a thread's system stack. It refuses to guess them.
//
// A wrong offset would corrupt a program, so there are three guards:
//
//  1. layout.go is compiled only for Go versions whose layout TestDWARF has read from the
//     debug information of a program built with that version. Any other version has no
//     layout, and [Check] says so.
//  2. [Check] looks at the running program: the goroutine, its thread and the thread's
//     system goroutine must refer to each other as the layout says. It reads memory through
//     the kernel, so a wrong address is an error and never a fault.
//  3. The packages above call [Check] once, or [CheckCgo] if they are nothing without cgo, and
//     take the fallback if it fails.
//
// No symbol of the runtime is named, by linkname or in assembly: Go 1.27 refuses that.
package abi

import "errors"

// A Layout says where the runtime keeps what Seam uses, as byte offsets on a 64-bit machine.
type Layout struct {
	GStackLo uintptr // g.stack.lo: lowest address of the goroutine's stack
	GStackHi uintptr // g.stack.hi: the address after its end
	GM       uintptr // g.m: the thread that runs the goroutine
	GSchedSP uintptr // g.sched.sp: stack pointer saved when it last stopped
	GSchedPC uintptr // g.sched.pc: where it continues
	GSchedG  uintptr // g.sched.g: the g itself
	GLockedM uintptr // g.lockedm: the thread that it is locked to, or 0
	GStartPC uintptr // g.startpc: the function that it started with
	MG0      uintptr // m.g0: the goroutine that owns the thread's system stack
	MCurg    uintptr // m.curg: the goroutine that the thread runs

	// Of an announced call of C:
	GSyscallSP uintptr // g.syscallsp: the stack pointer at it, or 0
	GSyscallPC uintptr // g.syscallpc: where it continues
	GSyscallBP uintptr // g.syscallbp: the frame pointer there
	GCgoCtxt   uintptr // g.cgoCtxt: the slice of contexts of the callbacks that it is in
	MNcgo      uintptr // m.ncgo: how many such calls the thread is in, in 32 bits
	MProcID    uintptr // m.procid: the thread's number in the kernel

	GID uintptr // g.goid: the goroutine's number, as tracebacks have it

	// Of what runs on which thread, for who looks from outside:
	GStackGuard uintptr // g.stackguard0: its bounds for stack checks, or that it is to let others run
	MP          uintptr // m.p: the processor that the thread has, or 0
	MAllLink    uintptr // m.alllink: the next in the list of all threads
	PID         uintptr // p.id: the processor's number, from 0, in 32 bits
	PCounts     uintptr // p.schedtick and p.syscalltick, 32 bits each

	// Of a goroutine that doesn't run:
	GSchedBP uintptr // g.sched.bp: the frame pointer with g.sched.sp
	GStatus  uintptr // g.atomicstatus: what it does, in 32 bits
}

// CheckCgo is [Check] for what needs cgo besides a known layout.
func CheckCgo() error {
	if !cgoEnabled {
		return errors.New("built with CGO_ENABLED=0")
	}
	return Check()
}
