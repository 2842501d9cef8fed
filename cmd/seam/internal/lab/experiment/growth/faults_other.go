//go:build !unix

package growth

// pageFaults is not read on this system.
func pageFaults() int64 { return -1 }
