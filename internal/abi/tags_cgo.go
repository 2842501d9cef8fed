//go:build cgo

package abi

const cgoEnabled = true
