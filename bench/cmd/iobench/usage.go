//go:build cgo && linux && seam_servers

package main

import (
	"bytes"
	"fmt"
	"os"
)

// usage returns how many threads this process has and how many bytes are resident.
func usage() (threads int, resident int64, err error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0, err
	}
	for line := range bytes.Lines(status) {
		fmt.Sscanf(string(line), "Threads: %d", &threads)
		fmt.Sscanf(string(line), "VmRSS: %d kB", &resident)
	}
	if threads == 0 || resident == 0 {
		return 0, 0, fmt.Errorf("no Threads or VmRSS in /proc/self/status:\n%s", status)
	}
	return threads, resident << 10, nil
}
