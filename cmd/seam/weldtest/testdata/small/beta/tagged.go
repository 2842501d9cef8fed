//go:build extra

package beta

// static int beta_extra(const int *p) { return *p + 1; }
import "C"

func init() {
	Extra = func(a int) int {
		x := C.int(a)
		return int(C.beta_extra(&x))
	}
}
