// Package bad frees by a method and by a finalizer.
package bad

// #include <stdlib.h>
// typedef struct parser parser;
// parser *parser_new(void);
// void parser_delete(parser *p);
import "C"

import (
	"runtime"
	"unsafe"
)

// Parser is closed by users, and by its finalizer, which is the same method.
type Parser struct{ c *C.parser }

// New makes one.
func New() *Parser {
	p := &Parser{c: C.parser_new()}
	runtime.SetFinalizer(p, (*Parser).Close)
	return p
}

// Close frees it each time.
func (p *Parser) Close() {
	C.parser_delete(p.c) // want warning "Close frees p.c, and the finalizer does so again when p is collected: call runtime.SetFinalizer(p, nil) here"
}

// Buffer asks for nil, which it never sets.
type Buffer struct{ data unsafe.Pointer }

// NewBuffer makes one.
func NewBuffer() *Buffer {
	b := &Buffer{C.malloc(10)}
	if b.data == nil {
		return nil
	}
	runtime.SetFinalizer(b, func(b *Buffer) { b.free() })
	return b
}

func (b *Buffer) free() {
	if b.data != nil {
		C.free(b.data)
	}
}

// Free does what the finalizer does.
func (b *Buffer) Free() {
	b.free() // want error "Free frees b.data, and the finalizer does so again"
}

// Table has a cleanup, which has the pointer: what the field holds doesn't matter to it.
type Table struct{ rows unsafe.Pointer }

// NewTable makes one.
func NewTable() *Table {
	t := &Table{rows: C.calloc(10, 10)}
	runtime.AddCleanup(t, func(rows unsafe.Pointer) { C.free(rows) }, t.rows)
	return t
}

// Close clears the field, in vain.
func (t *Table) Close() error {
	C.free(t.rows) // want error "Close frees t.rows, and the cleanup does so again when t is collected: call Stop of what runtime.AddCleanup returned here"
	t.rows = nil
	return nil
}
