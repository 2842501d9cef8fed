// Package bad is left by other ways than a return.
package bad

/*
#include <setjmp.h>
int lib_at(int i);
int lib_fail(int i);
int lib_inner(int i);
int lib_stoi(const char *s);
int lib_again(int i);
static jmp_buf env;
void badEvent(void);
static int run(void) { if (setjmp(env)) return -1; badEvent(); return 0; }
static void fail(void) { longjmp(env, 1); }
*/
import "C"

func at(i C.int) C.int     { return C.lib_at(i) }    // want warning "a C++ exception may leave C.lib_at"
func throws(i C.int) C.int { return C.lib_fail(i) }  // want warning "may leave C.lib_fail (throw)"
func calls(i C.int) C.int  { return C.lib_inner(i) } // want warning "may leave C.lib_inner"
func stoi(s *C.char) C.int { return C.lib_stoi(s) }  // want warning "may leave C.lib_stoi"
func again(i C.int) C.int  { return C.lib_again(i) } // want warning "may leave C.lib_again"

//export badEvent
func badEvent() { leave() }

func leave() { C.fail() } // want error "C.fail leaves by longjmp (fail → longjmp), over the frames of badEvent"

// Run runs.
func Run() int { return int(C.run()) }
