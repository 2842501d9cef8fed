// Package good waits for nothing.
package good

// #include <stdio.h>
// static int add(int a, int b) { return a + b; }
// static void say(const char *s) { puts(s); }
import "C"

import "context"

// Add computes, and Say writes to the terminal.
func Add(_ context.Context, a, b int) int { return int(C.add(C.int(a), C.int(b))) }

// Say writes.
func Say(s *C.char) { C.say(s) }
