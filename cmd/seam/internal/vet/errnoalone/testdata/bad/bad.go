// Package bad asks errno whether.
package bad

// int lib_open(const char *name);
// static int probe(void) { return 0; }
import "C"

func open() error {
	_, err := C.lib_open(nil) // want warning "errno decides here whether C.lib_open has failed"
	if err != nil {
		return err
	}
	return nil
}

func direct() error {
	_, err := C.probe() // want warning "errno decides here whether C.probe"
	return err
}

func named() (err error) {
	_, err = C.lib_open(nil) // want warning "C.lib_open"
	return
}

func condition() bool {
	if _, err := C.lib_open(nil); err == nil { // want warning "C.lib_open"
		return true
	}
	return false
}
