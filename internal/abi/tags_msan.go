//go:build msan && !asan

package abi

const sanitized = "msan"
