// Package beta calls C that lies in a file of its own.
package beta

/*
#include "beta.h"
*/
import "C"

// Scale multiplies in C.
func Scale(x, by float64) float64 { return float64(C.beta_scale(C.double(x), C.double(by))) }
