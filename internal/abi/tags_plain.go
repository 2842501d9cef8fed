//go:build !asan && !msan

package abi

const sanitized = ""
