//go:build gc

package swap

const (
	instructions = "neon"
	least        = 16 // bytes that a kernel needs
)

// supported is true: every arm64 processor that Go runs on has NEON.
func supported() bool { return true }
