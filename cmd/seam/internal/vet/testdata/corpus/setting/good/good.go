// Package good frees both.
package good

// #include <stdlib.h>
// typedef struct config config;
// int set_config(config *c, const char *name, const char *value);
import "C"

import (
	"errors"
	"unsafe"
)

// Config is a configuration.
type Config struct{ c *C.config }

// Set sets an option.
func (c *Config) Set(name, value string) error {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	v := C.CString(value)
	defer C.free(unsafe.Pointer(v))
	if C.set_config(c.c, n, v) != 0 {
		return errors.New("can't set " + name)
	}
	return nil
}
