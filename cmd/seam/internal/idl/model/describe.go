package model

import (
	"fmt"
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// wanted describes a type where another value was found.
func wanted(t *Type) string {
	switch t.Kind {
	case Bool:
		return "a bool (true or false)"
	case EnumKind:
		return "a value of the enum " + clip(t.Enum.Name)
	case StructKind:
		return fmt.Sprintf(`a value of the %s %s ({"field": value})`, structWord(t.Struct.Kind), clip(t.Struct.Name))
	case Double:
		return "a number"
	case I8, I16, I32, I64:
		return "a whole number of the type " + kindWords[t.Kind]
	case String, Binary, UUID:
		return fmt.Sprintf("a string in quotes for the type %s", kindWords[t.Kind])
	case List, Set:
		return fmt.Sprintf("a list of values in [ ] for the type %s", clip(t.String()))
	}
	return fmt.Sprintf("a map in { } for the type %s", clip(t.String()))
}

// describe says what was written.
func describe(v *syntax.Value) string {
	switch v.Kind {
	case syntax.IntValue:
		return "the number " + strconv.FormatInt(v.Int, 10)
	case syntax.DoubleValue:
		return "the number " + clip(v.Text)
	case syntax.StringValue:
		return "the string " + quote(v.Text)
	case syntax.IdentValue:
		return "the name " + clip(v.Text)
	case syntax.ListValue:
		return "a list"
	}
	return "a map"
}

func quote(s string) string { return strconv.Quote(clip(s)) }
