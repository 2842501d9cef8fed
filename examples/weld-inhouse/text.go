package main

/*
#include "text.h"

// cgo can't call what takes any number of arguments.
static int widest3(int a, int b, int c) { return text_widest_of(a, b, c); }

// A Go string is a view as it is: nothing is copied.
static uint64_t hash_string(_GoString_ s) {
	return text_hash((text_view){_GoStringPtr(s), _GoStringLen(s)});
}

// A handle is a number, and no pointer that Go may look at.
int goVisit(uintptr_t user, text_span field);
static int visit(void *user, text_span field) { return goVisit((uintptr_t)user, field); }
static int each_field(text_view line, uintptr_t user) { return text_each(line, visit, (void *)user); }
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"time"
	"unsafe"
)

// Hash returns the FNV-1a hash of s.
func Hash(s string) uint64 { return uint64(C.hash_string(s)) }

// Field returns field n of a line, counted from 0, and whether there is one.
func Field(line string, n int) (string, bool) {
	s := C.text_field(view(line), C.int(n))
	if s.length < 0 {
		return "", false
	}
	return line[s.start : s.start+s.length], true
}

// Number reads a decimal number.
func Number(s string) (int64, error) {
	n, err := C.text_number(view(s))
	if err != nil {
		return int64(n), fmt.Errorf("number %q: %w", s, err)
	}
	return int64(n), nil
}

// Widest returns the largest of three numbers.
func Widest(a, b, c int) int { return int(C.widest3(C.int(a), C.int(b), C.int(c))) }

// Upper returns s in capital letters.
func Upper(s string) string {
	if s == "" {
		return ""
	}
	out := make([]byte, len(s))
	C.text_upper(view(s), (*C.char)(unsafe.Pointer(&out[0])))
	return string(out)
}

// Each calls visit for every field of a line until it returns false: C calls back
// into Go, and this can't be welded.
func Each(line string, visit func(field string) bool) int {
	h := cgo.NewHandle(func(start, length int64) bool { return visit(line[start : start+length]) })
	defer h.Delete()
	return int(C.each_field(view(line), C.uintptr_t(h)))
}

// Settle waits: neither can this be welded.
func Settle(d time.Duration) { C.text_settle(C.uint(d.Microseconds())) }

// view is s as C sees it.
func view(s string) C.text_view {
	return C.text_view{at: (*C.char)(unsafe.Pointer(unsafe.StringData(s))), length: C.size_t(len(s))}
}
