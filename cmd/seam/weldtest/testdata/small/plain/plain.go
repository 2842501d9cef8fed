// Package plain has no C.
package plain

// Twice doubles.
func Twice(x int) int { return 2 * x }
