//go:build !unix

package output

// Named pipes are no files here.
const nonBlocking = 0

func noReader(error) bool { return false }

func mayWrite(string) error { return nil }
