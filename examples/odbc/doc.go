// Command odbc queries PostgreSQL through unixODBC and its driver, which unixODBC
// loads when the first connection is made: inside coroutines, even the waits of a
// library that is loaded later are Go's. The bridge between Go and C is written by seam
// bind, from odbc/bind.seam.
//
//	go run -tags seam_servers ./examples/odbc
//	go run -tags seam_servers ./examples/odbc -mode cgo
//
// It needs Debian's packages unixodbc-dev, odbc-postgresql and postgresql, and the
// build tag seam_servers, which says that they are installed.
//
// # What must be set, and why
//
// Threading in odbcinst.ini must be 0, 1 or 2. It says which lock unixODBC holds
// while it calls the driver: 0 none, 1 the statement's, 2 the connection's, 3 one of
// all connections. A lock held across a wait is worse for coroutines than for
// threads. Threads queue up; but when a coroutine of an executor stops at a lock, so
// does its thread, with every coroutine that belongs to it, including the one that
// holds the lock. With 3 this program would hang. 0 has been unixODBC's default since
// 2.3.1; the line is there all the same, because unixODBC looks it up in the driver's
// section, and many old files say 3:
//
//	[seam]
//	Driver=/usr/lib/x86_64-linux-gnu/odbc/psqlodbcw.so
//	Threading=0
//
// To see what threads do with 3:
//
//	go run -tags seam_servers ./examples/odbc -mode cgo -threading 3 -n 10
//
// One call at a time for each connection: the driver locks its connection too, and
// waits while holding that lock. The lock belongs to a thread and lets the same
// thread in again, and coroutines of an executor share a thread: a second call gets
// in, finds the connection in use and fails (HY010). So [Conn] has a Go lock, at
// which goroutines wait as usual.
//
// Floating is not offered for the same reason: the lock could be released by a
// different thread from the one that took it.
//
// pqopt={gssencmode=disable}: see examples/libpq, which is below this driver.
//
// Stack: loading and setting up the driver takes 69 KB, more than a coroutine has
// by default; see stackSize. coro.ReadStats has the figure (HighWater).
package main
