// Package good has finalizers beside methods that free, and each frees once.
package good

// #include <stdlib.h>
// typedef struct parser parser;
// parser *parser_new(void);
// void parser_delete(parser *p);
// void parser_unref(parser *p);
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

type stopped struct{ c *C.parser }

func newStopped() *stopped {
	p := &stopped{C.parser_new()}
	runtime.SetFinalizer(p, (*stopped).Close)
	return p
}

// Close takes the finalizer away.
func (p *stopped) Close() {
	runtime.SetFinalizer(p, nil)
	C.parser_delete(p.c)
}

type cleared struct{ c *C.parser }

func newCleared() *cleared {
	p := &cleared{C.parser_new()}
	runtime.SetFinalizer(p, (*cleared).Close)
	return p
}

// Close frees nothing the second time.
func (p *cleared) Close() {
	if p.c == nil {
		return
	}
	C.parser_delete(p.c)
	p.c = nil
}

type copied struct{ c *C.parser }

func newCopied() *copied {
	p := &copied{C.parser_new()}
	runtime.SetFinalizer(p, (*copied).Close)
	return p
}

// Close clears first.
func (p *copied) Close() {
	c := p.c
	p.c = nil
	C.parser_delete(c)
}

type flagged struct {
	c      *C.parser
	closed bool
}

func newFlagged() *flagged {
	p := &flagged{c: C.parser_new()}
	runtime.SetFinalizer(p, func(p *flagged) { p.Close() })
	return p
}

// Close remembers that it was called.
func (p *flagged) Close() {
	if p.closed {
		return
	}
	p.closed = true
	C.parser_delete(p.c)
}

type once struct {
	c    *C.parser
	done sync.Once
}

func newOnce() *once {
	p := &once{c: C.parser_new()}
	runtime.SetFinalizer(p, (*once).Close)
	return p
}

// Close does it once.
func (p *once) Close() { p.done.Do(func() { C.parser_delete(p.c) }) }

type counted struct{ c *C.parser }

func newCounted() *counted {
	p := &counted{C.parser_new()}
	runtime.SetFinalizer(p, func(p *counted) { C.parser_unref(p.c) })
	return p
}

// Release may be one of several references.
func (p *counted) Release() { C.parser_unref(p.c) }

type manual struct{ c *C.parser }

// newManual makes one that users close.
func newManual() *manual { return &manual{C.parser_new()} }

func newCollected() *manual {
	p := &manual{C.parser_new()}
	runtime.SetFinalizer(p, (*manual).Close)
	return p
}

// Close is for those without a finalizer.
func (p *manual) Close() { C.parser_delete(p.c) }

type chosen struct{ c *C.parser }

func newChosen(auto bool) *chosen {
	p := &chosen{C.parser_new()}
	if auto {
		runtime.SetFinalizer(p, (*chosen).Close)
	}
	return p
}

// Close is for those without a finalizer.
func (p *chosen) Close() { C.parser_delete(p.c) }

type table struct {
	rows    unsafe.Pointer
	cleanup runtime.Cleanup
}

func newTable() *table {
	t := &table{rows: C.calloc(10, 10)}
	t.cleanup = runtime.AddCleanup(t, func(rows unsafe.Pointer) { C.free(rows) }, t.rows)
	return t
}

// Close stops the cleanup.
func (t *table) Close() {
	t.cleanup.Stop()
	C.free(t.rows)
}

type inner struct{ c *C.parser }

func newInner() *inner {
	p := &inner{C.parser_new()}
	runtime.SetFinalizer(p, (*inner).finalize)
	return p
}

func (p *inner) finalize() { C.parser_delete(p.c) }

// Close takes it away in a function that it calls.
func (p *inner) Close() {
	p.detach()
	p.finalize()
}

func (p *inner) detach() { runtime.SetFinalizer(p, nil) }

type empty struct{ c *C.parser }

func newEmpty() *empty {
	p := &empty{C.parser_new()}
	runtime.SetFinalizer(p, (*empty).Close)
	return p
}

// Close leaves nothing.
func (p *empty) Close() {
	C.parser_delete(p.c)
	*p = empty{}
}
