//go:build early

package dep

// #include <stdlib.h>
import "C"

var early = C.malloc(70)
