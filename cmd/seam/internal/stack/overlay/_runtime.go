// Written by seam stack trace into package runtime, beside a stack.go whose
// stackDebug is 1.

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	kernel "internal/runtime/syscall/linux"
	"unsafe"
)

// What stack.go prints while stackDebug is on goes to a log of its own, not to standard
// error: standard error is the program's. The log is what SEAM_STACK_LOG names, a
// file or a named pipe; without that variable nothing is written.
//
// Each thread (M) has a buffer, so an event is one write to the log and its text can't
// be torn by another thread. An event is a line:
//
//	@PID M TIME COST CPU TEXT
//
// TIME is nanotime when the event began, and CPU how long the thread has run by then. COST
// is how much of that this file has taken so far, so what CPU grew by between two lines of
// a thread, less what COST grew by, is the runtime's own. While the thread waits for a core
// or for the reader of the log, neither grows.
//
// Why this is right where it runs:
//
//   - stack.go prints on the system stack only (newstack, copystack, stackalloc, stackfree,
//     shrinkstack and the caches are called there or say go:systemstack): getg is g0,
//     which is never preempted or moved, and has room for print.
//   - g.writebuf is print's own way aside (runtime.Stack uses it). It is set and reset
//     here around one line; if it is in use, the line is lost and counted. print looks
//     for it in the g at hand, so no other thread's output is taken.
//   - Nothing is allocated from the Go heap, no lock is taken but print's, and no pointer
//     is stored: newstack must have no write barrier, and stackalloc runs while the heap
//     is locked by none of its callers but must not lock it again.
//   - A signal handler runs on gsignal, another g, and allocates no stack.
//   - A write may wait for the reader of a pipe. It holds up this thread as a page fault
//     would; nothing that the reader needs is in this process.

const (
	seamThreads = 1024 // in a block
	seamBlocks  = 16   // threads beyond them are not recorded: their lines are counted
	seamBuffer  = 4096
	seamFull    = seamBuffer - 1280 // the longest line has some 1000 bytes
	seamCalls   = 32                // of a goroutine that needs more stack
)

type seamThread struct {
	used int32 // bytes of buf
	hold int32 // events that are not finished: their lines are written together
	from int32 // where the line at hand begins
	time int64 // when it began
	cpu  int64 // of the thread, then
	cost int64
	buf  [seamBuffer]byte
}

var (
	seamState   int32 // 0 not yet asked, 1 off, 2 on
	seamFile    int32
	seamName    uintptr // of the log, in the environment that the kernel wrote
	seamOpening uint32  // 1: a thread opens it again
	seamReopens uint32
	seamPID     int
	seamLost    uint32
	seamProcs   int32
	seamStart   uint32
	seamLosses  uint32              // what of seamLost has been told
	seamBlock   [seamBlocks]uintptr // addresses of [seamThreads]seamThread
)

// seamOpen runs at the first event, in schedinit, when there is one thread.
func seamOpen() {
	seamState = 1
	if argv == nil || isSecureMode() {
		return // of a setuid program, who calls it must not choose the file
	}
	const name = "SEAM_STACK_LOG="
	for i := argc + 1; ; i++ {
		p := argv_index(argv, i)
		if p == nil {
			return
		}
		if s := gostringnocopy(p); len(s) <= len(name) || s[:len(name)] != name {
			continue
		}
		seamName = uintptr(unsafe.Pointer(p)) + uintptr(len(name))
		file := seamOpenLog()
		if file < 0 {
			return
		}
		seamFile = file
		seamPID = getpid()
		seamState = 2
		if seamBegin(false) {
			print("start version=", buildVersion, " text=", hex(firstmoduledata.text), " etext=", hex(firstmoduledata.etext), " guard=", stackGuard, " build=", hex(seamBuild()), "\n")
			seamEnd(false)
		}
		return
	}
}

// seamOpenLog opens the log; the result is below 0 if it can't.
func seamOpenLog() int32 {
	// O_WRONLY|O_APPEND|O_CREAT|O_CLOEXEC, the same numbers on amd64 and arm64, and
	// O_NONBLOCK: a pipe whose reader is gone would be waited for for ever. What is
	// written later may wait.
	file := open((*byte)(unsafe.Pointer(seamName)), 1|0x400|0x40|0x80000|0x800, 0o600)
	if file < 0 {
		return file
	}
	const setFlags = 4 // F_SETFL
	fcntl(file, setFlags, 1|0x400)
	// A program that closes all files it knows nothing of and opens its own must
	// not get our lines: no file of its own will have this number. It may be
	// allowed a few files only.
	const dupCloexec = 1030 // F_DUPFD_CLOEXEC
	for high := int32(900); high > file; high /= 2 {
		if copied, _ := fcntl(file, dupCloexec, high); copied >= 0 {
			closefd(file)
			return copied
		}
	}
	return file
}

// seamBuild tells builds apart: a hash (FNV-1a) of where their functions begin, and of
// what is said of them. The reader of the log has it from the program's file, and
// would give the names of another one's functions if they differ.
func seamBuild() uint64 {
	h := uint64(14695981039346656037)
	table := firstmoduledata.ftab
	for i := range table[:len(table)-1] { // the last one is the end
		h = (h ^ uint64(table[i].entryoff)<<32 ^ uint64(table[i].funcoff)) * 1099511628211
	}
	return h
}

// seamBegin reports whether a line can be printed now; if so it goes to the buffer until
// seamEnd.
func seamBegin(hold bool) bool {
	if seamState != 2 {
		if seamState == 0 {
			seamOpen()
		}
		if seamState != 2 {
			return false
		}
	}
	gp := getg()
	if gp.m.dying > 0 {
		return false // print goes to standard error now, past the buffer
	}
	now, cpu := nanotime(), seamCPU()
	t := seamThreadOf(gp.m.id)
	if t == nil || gp.writebuf != nil {
		seamLost++ // at times one too few: it is not atomic
		return false
	}
	if hold {
		if t.hold >= 2 { // deeper they don't nest; one never ended (GODEBUG=efence=1)
			t.hold = 0
			seamWrite(t)
		}
		t.hold++
	}
	t.time, t.cpu = now, cpu
	if gomaxprocs != seamProcs || startingStackSize != seamStart || seamLost != seamLosses {
		seamProcs, seamStart, seamLosses = gomaxprocs, startingStackSize, seamLost
		seamStamp(t)
		print("settings procs=", seamProcs, " start=", seamStart, " lost=", seamLosses, "\n")
		seamKeep(t)
	}
	seamStamp(t)
	return true
}

// seamThreadOf is a thread's buffer; nil if there is none for it. Their numbers are never used
// again, so a program that ends threads and starts others comes to large ones.
func seamThreadOf(id int64) *seamThread {
	if id >= seamThreads*seamBlocks {
		return nil
	}
	at := &seamBlock[id/seamThreads]
	block := atomic.Loaduintptr(at)
	if block == 0 {
		const size = seamThreads * unsafe.Sizeof(seamThread{})
		memory, err := mmap(nil, size, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE, -1, 0)
		if err != 0 {
			return nil
		}
		if block = uintptr(memory); !atomic.Casuintptr(at, 0, block) {
			munmap(memory, size) // another thread was faster
			block = atomic.Loaduintptr(at)
		}
	}
	return (*seamThread)(unsafe.Pointer(block + uintptr(id%seamThreads)*unsafe.Sizeof(seamThread{})))
}

// seamStamp lets print write to the buffer, and begins a line.
func seamStamp(t *seamThread) {
	gp := getg()
	t.from = t.used
	// As integers: a slice would bring a write barrier.
	w := (*[3]uintptr)(unsafe.Pointer(&gp.writebuf))
	w[0] = uintptr(unsafe.Pointer(&t.buf[t.used]))
	w[1] = 0
	w[2] = uintptr(seamBuffer - t.used)
	print("@", seamPID, " ", gp.m.id, " ", t.time, " ", t.cost, " ", t.cpu, " ")
}

// seamKeep ends the line.
func seamKeep(t *seamThread) {
	w := (*[3]uintptr)(unsafe.Pointer(&getg().writebuf))
	t.used += int32(w[1])
	w[0], w[1], w[2] = 0, 0, 0
	for i := t.from; i < t.used-1; i++ {
		if t.buf[i] == '\n' {
			t.buf[i] = ' '
		}
	}
	t.buf[t.used-1] = '\n'
}

// seamEnd ends an event's line, and the event unless another of its lines follows.
func seamEnd(release bool) {
	t := seamThreadOf(getg().m.id)
	seamKeep(t)
	if release && t.hold > 0 {
		t.hold--
	}
	if t.hold == 0 || t.used > seamFull {
		seamWrite(t)
	}
	t.cost += seamCPU() - t.cpu
}

// seamCallers adds to a newstack's line where the calls on the goroutine's stack return to,
// innermost first, but for the one that morebuf has. The function that needs more has made no
// frame yet, so the frame pointer is its caller's. It may be anything where C or assembly has
// used the register: what is read lies on this goroutine's stack, which cannot move here, and
// each step leads further up, so the walk is safe and ends. The reader of the log looks
// whether an address is code.
func seamCallers(gp *g) {
	print(" callers=")
	at := gp.sched.bp
	for n := 0; n < seamCalls && at >= gp.stack.lo && at < gp.stack.hi-goarch.PtrSize && at%goarch.PtrSize == 0; n++ {
		print(" ", hex(*(*uintptr)(unsafe.Pointer(at + goarch.PtrSize))))
		up := *(*uintptr)(unsafe.Pointer(at))
		if up <= at {
			break
		}
		at = up
	}
	print("\n")
}

// seamCPU is how many nanoseconds this thread has run; where the kernel doesn't tell, the
// time. It is a system call that the kernel answers in some 0.1 µs.
func seamCPU() int64 {
	const clockGettime, threadClock = 228*goarch.IsAmd64 + 113*goarch.IsArm64, 3
	var seconds [2]int64 // and nanoseconds
	_, _, err := kernel.Syscall6(clockGettime, threadClock, uintptr(unsafe.Pointer(&seconds)), 0, 0, 0, 0)
	if err != 0 {
		return nanotime()
	}
	return seconds[0]*1e9 + seconds[1]
}

// seamOverflow writes what is held, and why: the program is about to die of its stack.
func seamOverflow() {
	if seamBegin(false) {
		print("runtime: goroutine stack exceeds ", min(maxstacksize, maxstackceiling), "-byte limit\n")
		seamThreadOf(getg().m.id).hold = 0
		seamEnd(false)
	}
}

func seamWrite(t *seamThread) {
	const interrupted, closed = -4, -9 // EINTR, EBADF
	for {
		file := seamFile
		n := write1(uintptr(file), unsafe.Pointer(&t.buf[0]), t.used)
		if n == interrupted || n == closed && seamReopen(file) {
			continue
		}
		if n < 0 {
			seamState = 1 // nobody reads any more
		}
		break
	}
	t.used = 0
}

// seamReopen opens the log again, of which the program has closed the file: daemons
// close all that they know nothing of. It says so where it can't, or where the
// program does it again and again: then events are missing from now on.
func seamReopen(closed int32) bool {
	for !atomic.Cas(&seamOpening, 0, 1) {
		osyield() // another thread is at it
	}
	again := seamFile != closed // it has been opened
	if !again && seamState == 2 {
		if file := int32(-1); seamReopens < 16 {
			seamReopens++
			if file = seamOpenLog(); file >= 0 {
				seamFile = file
				again = true
			}
		}
		if !again {
			seamState = 1
			const words = "seam: the program closes the file of its stack log: what happens from now on is not in the report\n"
			write1(2, unsafe.Pointer(unsafe.StringData(words)), int32(len(words)))
		}
	}
	atomic.Store(&seamOpening, 0)
	return again
}
