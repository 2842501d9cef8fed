// Command ring-cpp runs a C++ engine in a process of its own and asks it questions through
// rings in shared memory. When the engine crashes or hangs, the question that it was at is
// answered by an error, another engine is started, and the service goes on:
//
//	go run ./examples/ring-cpp
//
// That is why one would take a ring instead of a call. It needs a C++ compiler, and Linux.
package main
