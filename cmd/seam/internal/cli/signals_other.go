//go:build !unix

package cli

// Here a broken pipe is an error like any other.
func ignoreBrokenPipes() {}
