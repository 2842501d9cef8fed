package reference

// Switches, starts and memory of processes, threads and goroutines.
var (
	ProcessSwitch   = Figure{Coroutines, "direct cost of a process switch", 3500, "ns/op"}
	GoroutineSwitch = Figure{Coroutines, "a million Gosched each, GOMAXPROCS=1", 120, "ns/op"}
	GoroutineStart  = Figure{Coroutines, "create and schedule", 400, "ns/op"}
	GoroutineStack  = Figure{Coroutines, "the stack alone", 2 << 10, "B/unit"}
	ThreadStack     = Figure{Coroutines, "a stack of 8 to 10 MB", 8 << 20, "B/unit"}
)
