//go:build !asan && !msan

package abi

//lint:ignore U1000 used only where there is no layout
const sanitized = ""
