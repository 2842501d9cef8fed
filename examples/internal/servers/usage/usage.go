// Package usage tells what this process takes of the machine.
package usage

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// A Usage is what a process takes at a moment.
type Usage struct {
	Threads  int   // of the operating system
	Resident int64 // bytes of memory
}

// Read returns the usage of this process. It fails where there is no
// /proc/self/status, which only Linux has.
func Read() (Usage, error) {
	const file = "/proc/self/status"
	status, err := os.ReadFile(file)
	if err != nil {
		return Usage{}, err
	}
	threads, err := field(status, "Threads")
	if err != nil {
		return Usage{}, fmt.Errorf("%s: %w", file, err)
	}
	kilobytes, err := field(status, "VmRSS")
	if err != nil {
		return Usage{}, fmt.Errorf("%s: %w", file, err)
	}
	return Usage{Threads: int(threads), Resident: kilobytes << 10}, nil
}

// field returns the number in the line of a name: "VmRSS:	    1234 kB".
func field(status []byte, name string) (int64, error) {
	for line := range bytes.Lines(status) {
		key, value, _ := bytes.Cut(line, []byte(":"))
		if string(key) == name {
			if words := bytes.Fields(value); len(words) > 0 {
				return strconv.ParseInt(string(words[0]), 10, 64)
			}
		}
	}
	return 0, fmt.Errorf("no field %s", name)
}
