// Package other has C that no line of the plan names.
package other

/*
#include <unistd.h>
static void nap(int ms) { usleep(1000 * (useconds_t)ms); }
*/
import "C"

// Nap sleeps in C.
func Nap(ms int) { C.nap(C.int(ms)) }
