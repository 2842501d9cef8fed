// Package other registers a traceback function.
package other

// static void nothing(void *arg) { (void)arg; }
// static void *address(void) { return nothing; }
import "C"

import "runtime"

func init() { runtime.SetCgoTraceback(0, C.address(), nil, nil) }
