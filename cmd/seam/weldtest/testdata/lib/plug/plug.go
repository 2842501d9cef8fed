// Package main is a plugin.
package main

import "example.com/lib/c"

// Sum and Allocs are what the host asks for.
func Sum(a int) int { return c.Sum(a, 1, 1) }

// Allocs is how many allocations a call makes.
func Allocs() int { return c.Allocs() }

func main() {}
