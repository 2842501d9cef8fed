// Command ring-python has Go produce samples, Python consume them in place, and send what it
// found back, through rings in shared memory:
//
//	go run ./examples/ring-python
//
// Where numpy is installed the samples become an array without a copy; otherwise a
// memoryview of the standard library does the same, slower. It needs Linux, python3 with its
// headers and a C compiler. It builds package seam-ring for itself; in your program you would
// have it by pip install ./python.
package main
