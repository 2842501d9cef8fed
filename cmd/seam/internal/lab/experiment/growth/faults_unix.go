//go:build unix

package growth

import "golang.org/x/sys/unix"

// pageFaults is how often this process was given a page of memory that it then had
// without a disk; below 0 where that can't be read.
func pageFaults() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return -1
	}
	return int64(u.Minflt)
}
