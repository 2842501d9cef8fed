//go:build cgo && linux && race

package queue

/*
static void seam_offload_nothing(void) {}
*/
import "C"

// syncRace tells the race detector what it can't see: that calls go to other threads and
// come back through C memory. For the detector a cgo call happens after every callback that
// has ended and before every one that begins later.
func syncRace() { C.seam_offload_nothing() }
