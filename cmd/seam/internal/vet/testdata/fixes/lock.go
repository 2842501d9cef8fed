package fixes

// static int repo_open(const char *path) { return path != 0; }
// static const char *repo_last_error(void) { return "none"; }
import "C"

import (
	"errors"

	_ "golang.org/x/term"
)

// Open fetches an error on any thread.
func Open() error {
	if C.repo_open(nil) < 0 {
		return errors.New(C.GoString(C.repo_last_error()))
	}
	return nil
}

// Again does so too.
func Again() error {
	if C.repo_open(nil) < 0 {
		return errors.New(C.GoString(C.repo_last_error()))
	}
	return nil
}
