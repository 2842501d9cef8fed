//go:build !(linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28)

package abi

import (
	"fmt"
	"runtime"
)

// Known reports whether this build has a layout.
const Known = false

// Check explains why this build has no layout.
func Check() error {
	switch {
	case sanitized != "":
		return fmt.Errorf("built with -%s, which must see every call into C", sanitized)
	case runtime.Compiler != "gc":
		return fmt.Errorf("built with compiler %s (only gc is known)", runtime.Compiler)
	case runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64":
		return fmt.Errorf("no assembly for %s/%s (only linux/amd64 and linux/arm64)", runtime.GOOS, runtime.GOARCH)
	}
	return fmt.Errorf("the runtime's layout in %s is not known to this version of Seam (Go 1.25 to 1.27 are)", runtime.Version())
}
