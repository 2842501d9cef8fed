//go:build linux && cgo

// Command program is what heapbench measures: it does what its argument names, and prints how many
// nanoseconds of processor time its thread took. Other programs of a busy machine aren't in that, nor is
// what is done once at the start by a thread of the profiler's.
package main

// #cgo CFLAGS: -g -O1
// #include <stdlib.h>
// #include "sites.h"
import "C"

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"syscall"

	_ "github.com/mattn/go-sqlite3"
)

// held is what each of the sites below holds in the end, in bytes.
const held = 24_000_000

//go:noinline
func holdSmall() { C.small_site(held) }

//go:noinline
func holdMiddle() { C.middle_site(held) }

//go:noinline
func holdLarge() { C.large_site(held) }

func main() {
	work := map[string]func() error{
		"malloc": func() error { C.bare(10_000_000); return nil },
		"sites": func() error {
			holdSmall()
			holdMiddle()
			holdLarge()
			C.freed_site(held)
			return nil
		},
		"sqlite":  sqlite,
		"service": service,
	}[os.Args[1]]
	runtime.LockOSThread()
	began := used()
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(used() - began)
	C.exit(0) // not Go's, which runs no function of C's: profilers write their profile in one
}

// used is the processor time of this thread, in nanoseconds.
func used() int64 {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// sqlite fills a table in memory and reads it.
func sqlite() error {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 20000) INSERT INTO t SELECT i, 'name ' || i FROM n"); err != nil {
		return err
	}
	for i := range 30_000 {
		var name string
		if err := db.QueryRow("SELECT name FROM t WHERE id = ?", 1+i%20000).Scan(&name); err != nil {
			return err
		}
	}
	return nil
}

// service answers requests by some microseconds of Go and two calls of C each.
func service() error {
	type order struct {
		ID    int
		Name  string
		Lines []string
	}
	o := order{1, "somebody", make([]string, 40)}
	for i := range 50_000 {
		o.ID = i
		text, err := json.Marshal(o)
		if err != nil {
			return err
		}
		C.answer(C.long(i))
		if err := json.Unmarshal(text, &o); err != nil {
			return err
		}
		C.answer(C.long(i))
	}
	return nil
}
