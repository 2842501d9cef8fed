// Command hiredis waits in Redis with libhiredis, as Debian ships it: a C library
// that blocks in read and knows nothing of Go. Through cgo, each call that waits
// holds a thread. Here its functions run as coroutines, and package netio turns
// their waits into Go's: a thousand goroutines wait on a handful of threads. The
// bridge between Go and C is written by seam bind, from hiredis/bind.seam.
//
//	go run -tags seam_servers ./examples/hiredis -blocked 1000
//	go run -tags seam_servers ./examples/hiredis -blocked 1000 -mode cgo
//
// It starts a redis-server of its own, or uses the one that -addr names.
//
// It needs Debian's packages libhiredis-dev and redis-server, and the build tag
// seam_servers, which says that they are installed.
//
// # Which mode for which library
//
// executor is the mode for a library whose sources nobody has checked: a call
// always continues on the thread where it began, as C expects.
//
// floating lets a call continue on any thread. C must then keep nothing of a thread
// across a wait. hiredis's commands don't, but connecting does:
// redisContextWaitReady takes the address of errno, a thread-local variable, before
// it waits in poll, and writes to it afterwards (in Debian's build). So even in this
// mode, connections are made locked to a thread.
//
// locked is for calls that seldom wait, since a wait holds the thread.
package main
