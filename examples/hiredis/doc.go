// Command hiredis waits in Redis with libhiredis, as Debian ships it: a C library
// that blocks in read and knows nothing of Go. Through cgo each call that waits
// holds a thread. Here its functions run as coroutines and package netio makes
// their waits Go's, so that a thousand goroutines wait on a handful of threads:
//
//	go run -tags seam_servers ./examples/hiredis -blocked 1000
//	go run -tags seam_servers ./examples/hiredis -blocked 1000 -mode cgo
//
// It starts a redis-server of its own, or takes one by -addr.
//
// It needs Debian's packages libhiredis-dev and redis-server, and the build tag
// seam_servers, which says that they are there.
//
// # Which mode for which library
//
// executor is the mode for a library that nobody has looked into: a call always
// goes on on the thread that it began on, as C expects.
//
// floating lets a call go on on any thread, which asks of C that it keeps nothing
// of a thread across a wait. Of hiredis that is true of commands. It is not of
// connecting: redisContextWaitReady takes the address of errno, a variable of
// the thread, before it waits in poll, and writes to it afterwards (in Debian's
// build). So in this mode connections are made locked to a thread all the same.
//
// locked is for calls that seldom wait, since a wait holds the thread.
package main
