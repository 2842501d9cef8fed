//go:build cgo && linux && !android && (amd64 || arm64)

package ctest

/*
#include "locks.h"

static void *locks_use_function(void) { return (void *)locks_use; }
static void *once_use_function(void) { return (void *)once_use; }
static void *once_held_function(void) { return (void *)once_held; }
static void *call_once_use_function(void) { return (void *)call_once_use; }
static void *once_waits_function(void) { return (void *)once_waits; }
static void *once_meanwhile_function(void) { return (void *)once_meanwhile; }
static int call_once_begins(void) { call_once_begin(); return 0; }
static void *owned_use_function(void) { return (void *)owned_use; }
static void *meet_use_function(void) { return (void *)meet_use; }
*/
import "C"

import "unsafe"

// The kinds of lock, and their names.
const (
	Mutex      = C.LOCK_MUTEX
	Recursive  = C.LOCK_RECURSIVE
	ErrorCheck = C.LOCK_ERRORCHECK
	ReadWrite  = C.LOCK_READWRITE
	FileLock   = C.LOCK_FILE
)

var LockKinds = [C.LOCK_KINDS]string{"mutex", "recursive mutex", "errorcheck mutex", "rwlock", "semaphore", "condition", "mtx_t", "FILE"}

// Locking is the argument of LocksUse and MeetUse.
type Locking = C.ctest_locking

// NewLocking returns one.
func NewLocking(kind int, rounds int64) *Locking {
	return &Locking{kind: C.int64_t(kind), rounds: C.int64_t(rounds)}
}

// What OwnedUse does.
const (
	OwnedInit   = C.OWNED_INIT
	OwnedLock   = C.OWNED_LOCK
	OwnedTry    = C.OWNED_TRY
	OwnedUnlock = C.OWNED_UNLOCK
	OwnedLate   = C.OWNED_LATE
)

// Owned is its argument.
type Owned = C.ctest_owned

// NewOwned returns one.
func NewOwned(kind, what int) *Owned { return &Owned{kind: C.int64_t(kind), what: C.int64_t(what)} }

// OwnedPlainly is OwnedUse on this thread, OwnedByThread on one of C's.
func OwnedPlainly(kind, what int) int64 {
	return int64(C.owned_use(nil, unsafe.Pointer(NewOwned(kind, what))))
}
func OwnedByThread(kind, what int) int64 {
	return int64(C.owned_by_thread(C.int64_t(kind), C.int64_t(what)))
}

// The functions of coroutines: see locks.h.
var (
	LocksUse      = unsafe.Pointer(C.locks_use_function())
	OnceUse       = unsafe.Pointer(C.once_use_function())
	OnceHeld      = unsafe.Pointer(C.once_held_function())
	OnceWaits     = unsafe.Pointer(C.once_waits_function())
	OnceMeanwhile = unsafe.Pointer(C.once_meanwhile_function())
	CallOnce      = unsafe.Pointer(C.call_once_use_function())
	OwnedUse      = unsafe.Pointer(C.owned_use_function())
	MeetUse       = unsafe.Pointer(C.meet_use_function())
)

func LocksBegin()             { C.locks_begin() }
func LocksPlainly(l *Locking) { C.locks_use(nil, unsafe.Pointer(l)) }
func LocksByThread(kind int, rounds int64) int64 {
	return int64(C.locks_by_thread(C.int64_t(kind), C.int64_t(rounds)))
}
func LocksTaken(kind int) int64    { return int64(C.locks_taken(C.int64_t(kind))) }
func LocksWrong() int64            { return int64(C.locks_wrong()) }
func OnceBegin()                   { C.once_begin() }
func OncePlainly() int64           { return int64(C.once_use(nil, nil)) }
func OnceRuns() int64              { return int64(C.once_runs()) }
func MeetBegin(n int)              { C.meet_begin(C.int64_t(n)) }
func MeetPlainly(l *Locking) int64 { return int64(C.meet_use(nil, unsafe.Pointer(l))) }
func CallOnceBegin()               { C.call_once_begins() }
func OnceMeetsBegin()              { C.once_meets_begin() }
func OnceMeetsStep() int           { return int(C.once_meets_step()) }
func OnceFails() int               { return int(C.once_fails()) }
