//go:build !unix

package machine

// kernel is not told on this system.
func kernel() string { return "" }
