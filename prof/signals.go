package prof

// Signals lists what C libraries have done to the process's handlers of signals that Go can't
// live with: handlers of theirs without SA_ONSTACK, which end the program or overwrite memory
// when they meet Go code, and those in the place of Go's for SIGSEGV, SIGBUS, SIGFPE, SIGPROF
// and SIGURG. Each is a sentence that names the signal, the function and its file. It is empty
// when all is well, and where [Status] has no path. Reports of crashes in C have the same.
//
// A library may do this at any time: call it when all are in use.
func Signals() []string {
	if state.Path == PathNone {
		return nil
	}
	return signals()
}
