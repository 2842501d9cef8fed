// Package bad makes both strings of a setting in the call.
package bad

// #include <stdlib.h>
// typedef struct config config;
// int set_config(config *c, const char *name, const char *value);
import "C"

import "errors"

// Config is a configuration.
type Config struct{ c *C.config }

// Set sets an option.
func (c *Config) Set(name, value string) error {
	if C.set_config(c.c, C.CString(name), C.CString(value)) != 0 { // want warning "never freed" // want warning "never freed"
		return errors.New("can't set " + name)
	}
	return nil
}
