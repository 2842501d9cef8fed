package gen

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// value is a Go expression for a constant of type t. A struct's other fields
// have their defaults.
func (f *file) value(t *model.Type, v *model.Value) string {
	if v.Const != nil && v.Const.Program == f.prog && goConst(v.Const) && f.goType(v.Const.Type) == f.goType(t) {
		return f.constName(v.Const)
	}
	switch t.Kind {
	case model.Bool:
		return strconv.FormatBool(v.Bool)
	case model.I8, model.I16, model.I32, model.I64:
		return strconv.FormatInt(v.Int, 10)
	case model.Double:
		return f.double(v.Double)
	case model.String:
		return strconv.Quote(v.String)
	case model.Binary:
		return "[]byte(" + strconv.Quote(v.String) + ")"
	case model.UUID:
		return f.goType(t) + uuidBytes(v.String)
	case model.EnumKind:
		return f.enumValue(t.Enum, int32(v.Int), v.Enum)
	case model.List, model.Set:
		items := make([]string, len(v.List))
		for i, x := range v.List {
			items[i] = f.element(t.Elem, x)
		}
		return f.goType(t) + braces(items)
	case model.Map:
		return f.mapValue(t, v)
	case model.StructKind:
		return f.structValue(t, v)
	}
	panic("value of a type without values")
}

// element is value for an element of a literal, which leaves out its own
// type as gofmt -s would.
func (f *file) element(t *model.Type, v *model.Value) string {
	s := f.value(t, v)
	prefix := ""
	switch t.Kind {
	case model.StructKind:
		prefix = address(t) + f.structName(t.Struct)
	case model.List, model.Set, model.Map, model.UUID:
		prefix = f.goType(t)
	}
	if rest, ok := strings.CutPrefix(s, prefix); ok && strings.HasPrefix(rest, "{") {
		return rest
	}
	return s
}

// address is what makes a struct's literal a value of type t.
func address(t *model.Type) string {
	if t.InPlace {
		return ""
	}
	return "&"
}

// pointer is an expression for a pointer to a value.
func (f *file) pointer(t *model.Type, expression string) string {
	switch t.Kind {
	case model.I8, model.I16, model.I32, model.I64, model.Double:
		return f.thrift() + ".Ptr[" + f.goType(t) + "](" + expression + ")"
	}
	return f.thrift() + ".Ptr(" + expression + ")"
}

func (f *file) double(x float64) string {
	switch {
	case math.IsNaN(x):
		return f.use("math") + ".NaN()"
	case math.IsInf(x, 1):
		return f.use("math") + ".Inf(1)"
	case math.IsInf(x, -1):
		return f.use("math") + ".Inf(-1)"
	case x == 0 && math.Signbit(x):
		return f.use("math") + ".Copysign(0, -1)" // Go has no constant for it
	}
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// uuidBytes are the bytes of a uuid in braces.
func uuidBytes(text string) string {
	digits := strings.NewReplacer("-", "", "{", "", "}", "").Replace(text)
	var bytes []string
	for i := 0; i+1 < len(digits); i += 2 {
		bytes = append(bytes, "0x"+strings.ToLower(digits[i:i+2]))
	}
	return "{" + strings.Join(bytes, ", ") + "}"
}

func (f *file) enumValue(e *model.Enum, number int32, named *model.EnumValue) string {
	if named == nil || named.Enum != e || named.Value != number {
		i := slices.IndexFunc(e.Values, func(v *model.EnumValue) bool { return v.Value == number })
		if i < 0 {
			return fmt.Sprintf("%s(%d)", f.enumName(e), number)
		}
		named = e.Values[i]
	}
	return f.enumValueName(named)
}

func (f *file) mapValue(t *model.Type, v *model.Value) string {
	var items []string
	if !comparableKey(t.Key) {
		for _, x := range v.Map {
			items = append(items, "{Key: "+f.value(t.Key, x.Key)+", Value: "+f.value(t.Elem, x.Value)+"}")
		}
		return f.goType(t) + braces(items)
	}
	// Go refuses a key that appears twice. The last one counts.
	at := map[any]int{}
	for _, x := range v.Map {
		key := ""
		if t.Key.Kind == model.Binary {
			key = strconv.Quote(x.Key.String)
		} else {
			key = f.element(t.Key, x.Key)
		}
		item := key + ": " + f.element(t.Elem, x.Value)
		id := keyID(t.Key, x.Key)
		if i, ok := at[id]; ok {
			items[i] = item
			continue
		}
		at[id] = len(items)
		items = append(items, item)
	}
	return f.goType(t) + braces(items)
}

// keyID is equal for keys that Go takes for equal.
func keyID(t *model.Type, v *model.Value) any {
	switch t.Kind {
	case model.Bool:
		return v.Bool
	case model.Double:
		return v.Double // 0 and -0 are one key; NaN equals none
	case model.String, model.Binary:
		return v.String
	case model.UUID:
		return strings.ToLower(strings.NewReplacer("-", "", "{", "", "}", "").Replace(v.String))
	}
	return v.Int
}

// structValue is a new struct with what v gives, and the defaults of the rest.
func (f *file) structValue(t *model.Type, v *model.Value) string {
	s := t.Struct
	if len(v.Fields) == 0 && slices.ContainsFunc(s.Fields, initialised) {
		// Short, however deep the defaults are nested.
		if t.InPlace {
			return "*" + f.newName(s) + "()"
		}
		return f.newName(s) + "()"
	}
	given := map[*model.Field]*model.Value{}
	for _, x := range v.Fields {
		given[x.Field] = x.Value
	}
	return address(t) + f.literal(s, given)
}

// maxLiterals is how many structs and containers a file may take from
// defaults: they multiply where a default sets some fields of a struct
// whose fields have such defaults in turn.
const maxLiterals = 30_000

// tooLarge is the panic that stops the writing of a value.
type tooLarge struct{ s *model.Struct }

func (e tooLarge) Error() string {
	return fmt.Sprintf("%s:%d:%d: the defaults of the fields of %s multiply to more than %d values: leave some out",
		e.s.Program.Path, e.s.Pos.Line, e.s.Pos.Col, e.s.Name, maxLiterals)
}

// literal is the literal of a struct with these fields given.
func (f *file) literal(s *model.Struct, given map[*model.Field]*model.Value) string {
	var items []string
	for _, x := range s.Fields {
		v := given[x]
		if v == nil && initialised(x) {
			v = x.Default
			if !plain(x.Type) {
				f.literals++
			}
			if f.literals > maxLiterals {
				panic(tooLarge{s})
			}
		}
		if v == nil {
			continue
		}
		expression := f.value(x.Type, v)
		if pointerField(x) {
			expression = f.pointer(x.Type, expression)
		}
		items = append(items, f.fieldName(s, x)+": "+expression)
	}
	return f.structName(s) + braces(items)
}

// braces are the items of a composite literal, on lines of their own where
// they are many. gofmt indents them.
func braces(items []string) string {
	length := 0
	for _, item := range items {
		length += len(item) + 2
		if length > 80 || strings.Contains(item, "\n") {
			return "{\n" + strings.Join(items, ",\n") + ",\n}"
		}
	}
	return "{" + strings.Join(items, ", ") + "}"
}

// initialised reports whether a new struct has this field's default in it. An
// optional field begins absent, and its getter knows the default, unless it is held by
// value.
func initialised(x *model.Field) bool {
	return x.Default != nil && (x.Req != model.Optional || x.ByValue)
}

// goConst reports whether a constant is also one in Go.
func goConst(c *model.Const) bool {
	switch c.Type.Kind {
	case model.Bool, model.I8, model.I16, model.I32, model.I64, model.String, model.EnumKind:
		return true
	case model.Double:
		x := c.Value.Double
		return !math.IsNaN(x) && !math.IsInf(x, 0) && (x != 0 || !math.Signbit(x))
	}
	return false
}
