// Command odbc asks PostgreSQL through unixODBC and its driver, which unixODBC loads
// when the first connection is made: also the waits of a library that is loaded
// later are Go's inside coroutines.
//
//	go run -tags seam_servers ./examples/odbc
//	go run -tags seam_servers ./examples/odbc -mode cgo
//
// It needs Debian's packages unixodbc-dev, odbc-postgresql and postgresql, and the
// build tag seam_servers, which says that they are there.
//
// # What must be set, and why
//
// Threading in odbcinst.ini must be 0, 1 or 2. It says which lock unixODBC holds
// while it calls the driver: 0 none, 1 the statement's, 2 the connection's, 3 one of
// all connections. A lock that is held across a wait is worse for coroutines than
// for threads. Threads stand in line; but when a coroutine of an executor stops at
// a lock, so does its thread, with every coroutine that belongs to it, among them
// the one that holds the lock. With 3 this program would hang. 0 is what unixODBC
// takes by itself since 2.3.1; the line is written down all the same, since it is
// looked for by the name of the driver's section, and 3 is found in many an old file:
//
//	[seam]
//	Driver=/usr/lib/x86_64-linux-gnu/odbc/psqlodbcw.so
//	Threading=0
//
// What threads do with 3 is shown by
//
//	go run -tags seam_servers ./examples/odbc -mode cgo -threading 3 -n 10
//
// One call at a time for each connection: the driver locks its connection too, and
// waits with that lock held. It belongs to a thread and lets the same thread in
// again, and coroutines of an executor are the same thread: a second call gets in,
// finds the connection in use and fails (HY010). So [Conn] has a lock of Go's, at
// which goroutines wait as goroutines do.
//
// For the same reason Floating is not offered: the lock would be released by
// another thread than took it.
//
// pqopt={gssencmode=disable}: see examples/libpq, which is below this driver.
//
// Stack: loading and setting up the driver takes 69 KB, more than a coroutine has
// by default; see stackSize. coro.ReadStats has the figure (HighWater).
package main
