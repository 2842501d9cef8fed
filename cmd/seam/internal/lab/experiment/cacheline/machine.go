package cacheline

import (
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// otherLines says that the machine's lines are not those that the structs are made for.
var otherLines = sync.OnceValue(func() error {
	text, err := os.ReadFile("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size")
	if err != nil {
		return nil // not known; nearly all machines have 64
	}
	return lineOf(string(text))
})

// lineOf is otherLines for the kernel's text.
func lineOf(text string) error {
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n > 0 && n != line {
		return lab.Skip("a cache line has %d bytes here, and the structs are made for %d", n, line)
	}
	return nil
}
