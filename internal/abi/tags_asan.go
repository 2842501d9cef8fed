//go:build asan

package abi

const sanitized = "asan"
