// Command iobench measures a C library that waits for a server: libhiredis, as
// Debian ships it, called through cgo and as coroutines, side by side.
//
//	go run -tags seam_servers ./bench/cmd/iobench                 GET by 1 to 4000 connections
//	go run -tags seam_servers ./bench/cmd/iobench -n 1,16 -rounds 20
//	go run -tags seam_servers ./bench/cmd/iobench -blpop 10000    what a blocked call takes
//	go run -tags seam_servers ./bench/cmd/iobench -cancel         how fast one ends
//
// Every measurement is a fresh process, so that threads and memory are its own; the
// redis-server stays. The modes take turns in random order, and a round is one
// observation: intervals are Student's, over the rounds, of the logarithm of how
// many times as many calls a mode makes as cgo in the same round.
//
// Each goroutine has a connection and makes one call of C for each GET. All modes
// are the same program: also in cgo mode libc's functions are package netio's, which
// outside of coroutines pass calls on.
//
// It needs Debian's packages libhiredis-dev and redis-server, and the build tag
// seam_servers, which says that they are there. It ends with code 2 if the command
// line is wrong and 3 if something could not be run.
package main
