//go:build cgo && linux && !android && (amd64 || arm64) && !msan

package netio

// #cgo CFLAGS: -O2 -Wall -Wextra -fstack-clash-protection -I${SRCDIR}/../../include
// #cgo LDFLAGS: -ldl
import "C"

import _ "github.com/seamgo/seam/coro" // what the C functions switch to
