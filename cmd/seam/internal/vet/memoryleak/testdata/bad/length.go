package bad

// #include <stdlib.h>
// static char **strings_new(int n) { return calloc((size_t)n, sizeof(char *)); }
// static void strings_free(char **list, int n) { int i; for (i = 0; i < n; i++) free(list[i]); free(list); }
// void strings_use(char **list);
import "C"

import "errors"

// A function that frees may want more than the pointer, if it is seen to free that.
func freedWithLength(names []string) error {
	list := C.strings_new(C.int(len(names))) // want warning "the memory from C.strings_new is not freed on the way to line"
	for _, n := range names {
		if n == "" {
			return errors.New("no name")
		}
	}
	C.strings_use(list)
	C.strings_free(list, C.int(len(names)))
	return nil
}
