// Package good is left by returns.
package good

/*
#include <setjmp.h>
int lib_at(int i);
int lib_both(int i);
int lib_stops(int i);
int lib_vector(int i);
int lib_count(void);
int lib_typed(int i);
int lib_option(const char *key, const char *value);
static jmp_buf env;
static void jump(void) { longjmp(env, 1); }
static int own(void) { if (setjmp(env)) return -1; jump(); return 0; }
void goodEvent(void);
static void event(void) { goodEvent(); }
*/
import "C"

func at(i C.int) C.int     { return C.lib_at(i) }
func both(i C.int) C.int   { return C.lib_both(i) }
func stops(i C.int) C.int  { return C.lib_stops(i) }
func typed(i C.int) C.int  { return C.lib_typed(i) }
func option(k, v *C.char)  { C.lib_option(k, v) }
func count() C.int         { return C.lib_count() }
func vector(i C.int) C.int { return C.lib_vector(i) }

//export goodEvent
func goodEvent() { C.own() }

// Run runs.
func Run() { C.event() }
