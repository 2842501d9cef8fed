package gotool

import (
	"fmt"
	"os"
	"strings"
)

// SelfFlag is a flag of the go command whose value is a call of this program.
func SelfFlag(flag string, args ...string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("this program's own file can't be found: %w", err)
	}
	words := append([]string{self}, args...)
	for i, w := range words {
		// The go command splits the flag at spaces, with quotes around a word
		// as the only way to have some inside.
		switch {
		case w != "" && !strings.ContainsAny(w, " \t\n\r'\""):
		case !strings.Contains(w, "'"):
			words[i] = "'" + w + "'"
		case !strings.Contains(w, `"`):
			words[i] = `"` + w + `"`
		default:
			return "", fmt.Errorf("%s has both kinds of quotes, which the go command's %s can't take; if it is a path, move it", w, flag)
		}
	}
	return flag + "=" + strings.Join(words, " "), nil
}
