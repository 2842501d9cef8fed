package prof

import (
	"os"
	"runtime/debug"
)

// SetCrashOutput is [debug.SetCrashOutput], and has f get the reports of crashes in C as well, in
// front of Go's. debug.SetCrashOutput itself tells nobody where it writes to, so a file that it is
// given gets Go's part alone. Nil ends both. f may be closed when SetCrashOutput has returned.
func SetCrashOutput(f *os.File, options debug.CrashOptions) error {
	if err := debug.SetCrashOutput(f, options); err != nil {
		return err
	}
	return crashOutput(f)
}
