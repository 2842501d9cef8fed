package fixes

// #include <stdlib.h>
import "C"

import (
	"runtime"
	"unsafe"
)

// Page is freed by Close, and again by its finalizer.
type Page struct{ data unsafe.Pointer }

// NewPage makes one.
func NewPage() *Page {
	p := &Page{C.malloc(4096)}
	runtime.SetFinalizer(p, (*Page).Close)
	return p
}

// Close frees it.
func (p *Page) Close() { C.free(p.data) }

// Book has a method of more lines.
type Book struct{ data unsafe.Pointer }

// NewBook makes one.
func NewBook() *Book {
	b := &Book{C.malloc(4096)}
	runtime.SetFinalizer(b, (*Book).Close)
	return b
}

// Close frees it.
func (b *Book) Close() error {
	C.free(b.data)
	return nil
}
