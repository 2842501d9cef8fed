// Package launch runs programs that the stack tracer was built into: it gives each its
// log, keeps its file so that its functions can be named when it has gone, and notes
// how it ended.
//
// The go command starts a program of go run and go test itself. It is told by -exec to
// start seam instead, which starts the program ([Exec]) with the streams that it
// has been given. So the program's exit code is known, and the go command's own
// environment stays as it is.
package launch
