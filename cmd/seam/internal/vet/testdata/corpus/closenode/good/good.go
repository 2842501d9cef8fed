// Package good deletes it in any case.
package good

// #include <stdint.h>
import "C"

import (
	"errors"
	"runtime/cgo"
)

type node struct{ busy bool }

func (n *node) Close() error {
	if n.busy {
		return errors.New("busy")
	}
	return nil
}

//export seamVetCorpusOpen
func seamVetCorpusOpen() C.uintptr_t { return C.uintptr_t(cgo.NewHandle(&node{})) }

//export seamVetCorpusClose
func seamVetCorpusClose(h C.uintptr_t) C.int {
	n, ok := cgo.Handle(h).Value().(*node)
	if !ok {
		return 1
	}
	err := n.Close()
	cgo.Handle(h).Delete()
	if err != nil {
		return 2
	}
	return 0
}
