package dl

import (
	"errors"
	"syscall"
)

func load(name string) (uintptr, error) {
	handle, err := syscall.LoadLibrary(name)
	return uintptr(handle), err
}

func lookup(handle uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(handle), name)
}

func unload(handle uintptr) error { return syscall.FreeLibrary(syscall.Handle(handle)) }

func errnoLocation() (uintptr, error) { return 0, errors.New("errno is not known on Windows") }
