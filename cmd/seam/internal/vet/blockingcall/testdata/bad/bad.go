// Package bad waits in C.
package bad

// #include <poll.h>
// #include <unistd.h>
// static int wait_for(int fd) { struct pollfd p = { fd, POLLIN, 0 }; return poll(&p, 1, -1); }
import "C"

import "context"

// Wait can't be interrupted.
func Wait(fd int) int {
	C.sleep(1)                        // want note "offload:8 github.com/seamgo/seam/cmd/seam/internal/vet/blockingcall/testdata/bad.sleep in seam.plan"
	return int(C.wait_for(C.int(fd))) // want note "C.wait_for (wait_for → poll) waits: the goroutine takes a thread"
}

// Until has a context and waits for ever all the same.
func Until(ctx context.Context, fd int) int {
	return int(C.wait_for(C.int(fd))) // want warning "ctx, which this function never looks at"
}

// Again is the second place: one note for a function is enough.
func Again(fd int) int { return int(C.wait_for(C.int(fd))) }
