//go:build !unix

package main

// Here a broken pipe is an error like any other.
func ignoreBrokenPipes() {}
