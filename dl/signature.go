package dl

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// A signature is what the struct of a function's arguments says.
type signature struct {
	goType   reflect.Type // of the struct
	args     []field
	result   *field // nil if there is none or nobody wants it
	errno    *field
	variadic bool
	fixed    int // of a variadic function: how many arguments come before the variable ones
}

// A field is an argument or the result.
type field struct {
	name   string
	offset uintptr
	index  int // in the Go struct
	goType reflect.Type
	typ    *ctype
}

// signatureOf reads the struct type t.
func signatureOf(t reflect.Type) (*signature, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the arguments are described by a struct, not by %s", describe(t))
	}
	s := &signature{goType: t}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		if err := s.add(f, i); err != nil {
			return nil, fmt.Errorf("field %s of %s: %w", f.Name, t, err)
		}
	}
	return s, nil
}

func (s *signature) add(f reflect.StructField, index int) error {
	typ, err := typeOf(f.Type)
	if err != nil {
		return err
	}
	if f.Type.Kind() == reflect.Array {
		return errors.New("an array is passed as a pointer in C")
	}
	here := field{f.Name, f.Offset, index, f.Type, typ}
	switch tag := f.Tag.Get("dl"); tag {
	case "":
	case "result":
		if s.result != nil {
			return fmt.Errorf("it is the second result; %s is the first", s.result.name)
		}
		if typ.size > 0 { // nothing comes back of an empty struct
			s.result = &here
		}
		return nil
	case "errno":
		if f.Type.Kind() != reflect.Int32 {
			return errors.New("errno is an int32")
		}
		if s.errno != nil {
			return errors.New("it is the second errno")
		}
		s.errno = &here
		return nil
	case "variadic":
		if s.variadic {
			return errors.New("only the first variable argument is marked")
		}
		if len(s.args) == 0 {
			return errors.New("a variadic function has a fixed argument first")
		}
		s.variadic, s.fixed = true, len(s.args)
	default:
		return fmt.Errorf("the tag dl:%q is unknown (want result, errno or variadic)", tag)
	}
	if s.variadic && typ.kind != kindStruct && typ.size < 8 && (typ.kind == kindFloat || typ.size < 4) {
		return fmt.Errorf("a %s is never a variable argument: in C float32 becomes float64, and small integers int32", f.Type)
	}
	if typ.size > 0 {
		s.args = append(s.args, here)
	}
	return nil
}

// String returns the signature as it reads in messages.
func (s *signature) String() string {
	var b strings.Builder
	b.WriteByte('(')
	for i, a := range s.args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(a.goType.String())
	}
	b.WriteByte(')')
	if s.result != nil {
		b.WriteString(" " + s.result.goType.String())
	}
	return b.String()
}
