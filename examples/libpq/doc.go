// Command libpq asks PostgreSQL for something slow, many times at once, through
// PostgreSQL's own C library as Debian ships it. libpq waits in poll; as coroutines
// of an executor, its calls wait on a handful of threads. The bridge between Go and C
// is written by seam bind, from libpq/bind.seam.
//
//	go run -tags seam_servers ./examples/libpq
//	go run -tags seam_servers ./examples/libpq -mode cgo
//
// It starts a PostgreSQL of its own, or uses the one that -conninfo names.
//
// It needs Debian's packages libpq-dev and postgresql, and the build tag
// seam_servers, which says that they are installed.
//
// # What libpq needs
//
// The connection strings say gssencmode=disable. Kerberos would take a process-wide
// lock (pg_g_threadlock) and wait while holding it; on an executor's thread the next
// connection would then wait for one that can't continue. TLS (sslmode=verify-full)
// has been tried with 20 connections at once.
//
// Stack: see stackSize.
//
// Floating is not offered: nobody has checked libpq's compiled code for addresses of
// errno that it keeps across a wait.
package main
