// Package good asks errno why.
package good

// #include <stdlib.h>
// int lib_open(const char *name);
// void lib_reset(void);
import "C"

import "fmt"

func open() error {
	if rc, err := C.lib_open(nil); rc < 0 {
		return err
	}
	return nil
}

func void() error {
	_, err := C.lib_reset()
	return err
}

func only() (C.long, error) {
	_, err := C.strtol(nil, nil, 10)
	return 0, err
}

func shown() {
	_, err := C.lib_open(nil)
	fmt.Println("errno is", err)
}
