// Command libpq asks PostgreSQL for something slow, many times at once, with its
// own C library as Debian ships it. libpq waits in poll; as coroutines of an
// executor its calls wait on a handful of threads:
//
//	go run -tags seam_servers ./examples/libpq
//	go run -tags seam_servers ./examples/libpq -mode cgo
//
// It starts a PostgreSQL of its own, or takes one by -conninfo.
//
// It needs Debian's packages libpq-dev and postgresql, and the build tag
// seam_servers, which says that they are there.
//
// # What libpq needs
//
// The connection strings say gssencmode=disable: Kerberos would take a lock of the
// whole process (pg_g_threadlock) and wait with it held, so that on an executor's
// thread the next connection would wait for the one that can't go on. TLS
// (sslmode=verify-full) has been tried with 20 connections at once.
//
// Stack: see stackSize.
//
// Floating is not offered: the addresses of errno that compiled code keeps across
// a wait have not been looked for in libpq.
package main
