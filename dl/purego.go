package dl

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/ebitengine/purego"
)

// viaPurego returns a call of fn through purego, which knows fewer types than the assembly and says so
// by panics.
func viaPurego(s *signature, fn uintptr) (call func(args unsafe.Pointer), err error) {
	if s.errno != nil {
		return nil, errors.New("errno is reported by the assembly for Linux alone")
	}
	if s.variadic {
		return nil, errors.New("variadic functions are called by the assembly for Linux alone")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	f := reflect.New(s.funcType())
	purego.RegisterFunc(f.Interface(), fn)
	return func(args unsafe.Pointer) {
		in := make([]reflect.Value, len(s.args))
		for i, a := range s.args {
			in[i] = reflect.NewAt(a.goType, unsafe.Add(args, a.offset)).Elem()
		}
		out := f.Elem().Call(in)
		if s.result != nil {
			reflect.NewAt(s.result.goType, unsafe.Add(args, s.result.offset)).Elem().Set(out[0])
		}
	}, nil
}

// funcType returns the Go function type of the signature.
func (s *signature) funcType() reflect.Type {
	var in, out []reflect.Type
	for _, a := range s.args {
		in = append(in, a.goType)
	}
	if s.result != nil {
		out = append(out, s.result.goType)
	}
	return reflect.FuncOf(in, out, false)
}
