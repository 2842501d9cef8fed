// Package ring passes records of bytes through rings in memory: between goroutines, and
// between this process and another one in Go, C, C++ or Python, without copies and mostly without
// system calls. Who waits sleeps, goroutines in Go's poller.
//
// Between goroutines:
//
//	w, r, err := ring.New(1<<16, ring.Options{})
//
//	// one goroutine                    // another
//	err := w.Send(ctx, record)          record, err := r.Next(ctx)
//
// Between processes that meet at a path, [Listen] and [Dial]; or, over a connected Unix socket,
// one side makes the rings, by [Serve], and the other takes them, by [Connect]. Either may be in
// C, C++ or Python: headers seam/ring.h and seam/listen.h, and package seam_ring:
//
//	c, err := ring.Serve(ctx, socket, ring.Options{})
//	err = c.Writer().Send(ctx, request)
//	answer, err := c.Reader().Next(ctx)
//
// From one process to any number of others, which find it by a path and read at their own pace:
// [Publish] and [Subscribe], and seam/publish.h in C and C++.
//
// docs/ring.md in the repository says when a ring beats a call, a channel or a socket.
//
// # Rules
//
// An end belongs to one goroutine at a time: [Writer] and [Reader] may not be called
// concurrently. [Conn.Close] and Stats may, and a [SharedWriter] is for many goroutines of
// one process. For many processes, give each a connection of its own: one that dies then
// leaves no hole in a ring that others use.
//
// A record that [Reader.Next] returns lies in the ring, and is the caller's until the next
// call of a method of the Reader. Copy what must live longer. It begins at a multiple of 8 bytes, so
// a struct of Go's may lie there (unsafe.Pointer(&rec[0])), but no C type that is aligned to 16.
//
// [Writer.Append] and [Writer.Commit] collect records and [Writer.Flush] publishes them,
// which makes small records several times as cheap. A writer that has to wait for room
// publishes by itself, and a reader that has to wait for records gives back what it has
// read. But a writer that stops writing must flush, and a reader that stops reading while it
// has room to give back should call [Reader.Release].
//
// # The other process
//
// What it had published before it ended, however it ended, can be read; then Next returns
// io.EOF if it had closed, or [ErrGone] if not, or if it gave up: a panic, or an exception in C++
// or Python, never looks like the end of the records ([Conn.Abort]). Nothing half-written is ever
// seen. A process that is stopped isn't gone: use a context with a deadline. A child that the
// peer has forked, and that has inherited the socket, hides the peer's end until it calls
// seam_ring_conn_abandon, or ends.
//
// The memory is a sealed memfd: nobody can change its size, and nothing is left in a file
// system. Each index and length that the peer could have written is read once and checked,
// and [ErrCorrupt] ends the use of a ring that can't be right. What it can still do is change
// a record while it is looked at, and keep a goroutine of ours in a system call;
// Options.Untrusted prevents both, for the price of a copy and of slower wake-ups.
//
// # Metrics
//
// Stats of either end may be published with expvar:
//
//	expvar.Publish("orders", expvar.Func(func() any { return w.Stats() }))
//
// Rings between processes are for Linux; those of [New] are for every system.
package ring
