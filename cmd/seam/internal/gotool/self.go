package gotool

import (
	"fmt"
	"os"
)

// SelfFlag is a flag of the go command whose value is a call of this program.
func SelfFlag(flag string, args ...string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("this program's own file can't be found: %w", err)
	}
	value, err := JoinQuoted(append([]string{self}, args...))
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	return flag + "=" + value, nil
}
