//go:build !cgo

package abi

const cgoEnabled = false
