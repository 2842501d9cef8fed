package testenv

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a program, or a script, that is about to be run. No process is
// started meanwhile: it would inherit the open file for a moment, and to run what
// somebody has open for writing fails ("text file busy").
func WriteProgram(t testing.TB, name, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(name, []byte(text), 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}
