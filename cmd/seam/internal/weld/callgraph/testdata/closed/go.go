// Package closed has C that comes to Go in ways that are hard to see, and C that can't.
package closed

// #include "closed.h"
import "C"

//export goCalled
func goCalled(n C.int) C.int { return n }
