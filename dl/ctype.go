package dl

import (
	"fmt"
	"reflect"
)

// A Union is a struct type whose counterpart in C is a union, passed by value. How the ABIs
// pass one depends on the types of its members, which the Go type doesn't have. Members
// returns a value of the type of each.
type Union interface{ Members() []any }

type kind uint8

const (
	kindInt kind = iota
	kindUint
	kindPointer
	kindFloat
	kindStruct // and arrays in structs, complex numbers, unions
)

// A ctype is a C type as the ABIs see it.
type ctype struct {
	kind        kind
	size, align uintptr
	parts       []scalar // of a struct: its numbers and pointers, at any depth
	packed      bool     // of a struct: a part is not where its alignment wants it
}

// A scalar is a number or pointer in a struct.
type scalar struct {
	offset uintptr
	typ    *ctype
}

func (t *ctype) isInteger() bool { return t.kind <= kindPointer }

// typeOf returns the C type of a Go type's layout.
func typeOf(t reflect.Type) (*ctype, error) {
	c := &ctype{size: t.Size(), align: uintptr(t.Align())}
	switch t.Kind() {
	case reflect.Bool, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint, reflect.Uintptr:
		c.kind = kindUint
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		c.kind = kindInt
	case reflect.Pointer, reflect.UnsafePointer:
		c.kind = kindPointer
	case reflect.Float32, reflect.Float64:
		c.kind = kindFloat
	case reflect.Struct, reflect.Array, reflect.Complex64, reflect.Complex128:
		c.kind = kindStruct
		if err := c.add(0, t); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("there is no counterpart in C of %s", describe(t))
	}
	return c, nil
}

func describe(t reflect.Type) string {
	if t.Kind().String() == t.String() {
		return "type " + t.String()
	}
	return fmt.Sprintf("type %s (a %s)", t, t.Kind())
}

// add adds the parts of t, which lies at offset.
func (c *ctype) add(offset uintptr, t reflect.Type) error {
	switch t.Kind() {
	case reflect.Struct:
		if u, ok := reflect.Zero(t).Interface().(Union); ok {
			for _, m := range u.Members() {
				mt := reflect.TypeOf(m)
				if mt == nil || mt.Size() > t.Size() {
					return fmt.Errorf("a member of union %s is nil or larger than the union", t)
				}
				if err := c.add(offset, mt); err != nil {
					return err
				}
			}
			return nil
		}
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" {
				continue
			}
			if err := c.add(offset+f.Offset, f.Type); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
	case reflect.Array:
		const most = 1 << 16
		if t.Len() > most {
			return fmt.Errorf("an array of %d elements can't be passed by value", t.Len())
		}
		for i := range t.Len() {
			if err := c.add(offset+uintptr(i)*t.Elem().Size(), t.Elem()); err != nil {
				return err
			}
		}
	case reflect.Complex64, reflect.Complex128:
		half := reflect.TypeFor[float32]()
		if t.Kind() == reflect.Complex128 {
			half = reflect.TypeFor[float64]()
		}
		return c.add(offset, reflect.ArrayOf(2, half))
	default:
		p, err := typeOf(t)
		if err != nil {
			return err
		}
		c.packed = c.packed || offset%p.align != 0
		c.parts = append(c.parts, scalar{offset, p})
	}
	return nil
}
