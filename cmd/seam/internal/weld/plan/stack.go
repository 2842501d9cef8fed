package plan

import (
	"strconv"
	"strings"
)

// Limits of the stack of a function that is parked.
const (
	MinStack = 16 << 10
	MaxStack = 64 << 20
)

// parseStack reads the size of a stack, 256KiB or 1MiB.
func parseStack(text string) (bytes int, ok bool) {
	number, unit := strings.TrimSuffix(text, "KiB"), 1<<10
	if number == text {
		number, unit = strings.TrimSuffix(text, "MiB"), 1<<20
	}
	n, err := strconv.Atoi(number)
	if err != nil || number == text || n < 1 || n > MaxStack || number[0] == '+' {
		return 0, false
	}
	n *= unit
	return n, n >= MinStack && n <= MaxStack
}

// formatStack is the size as parseStack reads it.
func formatStack(bytes int) string {
	if bytes%(1<<20) == 0 {
		return strconv.Itoa(bytes>>20) + "MiB"
	}
	return strconv.Itoa(bytes>>10) + "KiB"
}
