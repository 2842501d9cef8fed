// Package bad fetches errors on any thread.
package bad

// #include <errno.h>
// typedef struct repo repo;
// int repo_open(repo **out, const char *path);
// const char *repo_last_error(void);
// int GetLastError(void);
// const char *liberr_last(void);
// unsigned long ERR_get_error_all(const char **file, int *line);
// static int get(void) { return errno; }
// const char *seam_vet_errmsg(void);
// static const char *wrapped_last_error(void) { return repo_last_error(); }
// static int latest_code;
// static int my_last_error(void) { return latest_code; }
import "C"

import "errors"

func open() (*C.repo, error) {
	var r *C.repo
	if C.repo_open(&r, nil) < 0 {
		return nil, errors.New(C.GoString(C.repo_last_error())) // want error "C.repo_last_error returns the error of this thread, but the call at line 22"
	}
	return r, nil
}

func makeError() error { return errors.New(C.GoString(C.repo_last_error())) }

func viaHelper() error {
	var r *C.repo
	if C.repo_open(&r, nil) < 0 {
		return makeError() // want error "makeError (C.repo_last_error) returns the error of this thread"
	}
	return nil
}

func code() int {
	C.repo_open(nil, nil)
	return int(C.GetLastError()) // want error "C.GetLastError"
}

func body() int {
	C.repo_open(nil, nil)
	return int(C.get()) // want error "C.get returns the error of this thread"
}

// The name is of one word.
func oneWord() error {
	var r *C.repo
	if C.repo_open(&r, nil) < 0 {
		return errors.New(C.GoString(C.liberr_last())) // want error "C.liberr_last returns the error of this thread"
	}
	return nil
}

func message() string {
	if C.repo_open(nil, nil) < 0 {
		return C.GoString(C.seam_vet_errmsg()) // want error "C.seam_vet_errmsg returns the error of this thread"
	}
	return ""
}

// twice locks nothing.
func twice(f func() error) error {
	if err := f(); err != nil {
		return f()
	}
	return nil
}

func insideOfNoLock() error {
	return twice(func() error {
		if C.repo_open(nil, nil) < 0 {
			return errors.New(C.GoString(C.repo_last_error())) // want error "C.repo_last_error returns the error of this thread"
		}
		return nil
	})
}

// Where the error was made is no object that has it.
func withPlace() C.ulong {
	var file *C.char
	var line C.int
	if C.repo_open(nil, nil) < 0 {
		return C.ERR_get_error_all(&file, &line) // want error "C.ERR_get_error_all returns the error of this thread"
	}
	return 0
}

func wrapped() string {
	if C.repo_open(nil, nil) < 0 {
		return C.GoString(C.wrapped_last_error()) // want error "C.wrapped_last_error returns the error of this thread"
	}
	return ""
}

// A variable may be of the program or of the thread: that isn't seen.
func variable() C.int {
	if C.repo_open(nil, nil) < 0 {
		return C.my_last_error() // want warning "the variable latest_code of C holds, which all threads share"
	}
	return 0
}
