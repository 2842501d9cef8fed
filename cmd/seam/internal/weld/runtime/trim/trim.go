// Package trim carries the C by which a welded program gives free memory back when it is idle. It
// becomes a part of package runtime/cgo.
package trim

import (
	_ "embed"
	"fmt"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
)

//go:embed c/trim.c
var text []byte

// Name is that of the file.
const Name = "seam_trim.c"

// C is the text for a program that is idle after so long without work.
func C(idle time.Duration) []byte {
	return append(fmt.Appendf(nil, "#define SEAM_TRIM_IDLE %dLL\n", idle.Nanoseconds()), bundle.C(text)...)
}
