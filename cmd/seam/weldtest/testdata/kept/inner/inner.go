// Package inner has C that waits, and nothing that C could call.
package inner

/*
#include <unistd.h>
static int reads(int fd) { char c; return (int)read(fd, &c, 1); }
*/
import "C"

// Read waits for a byte.
func Read(fd uintptr) { C.reads(C.int(fd)) }
