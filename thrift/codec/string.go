package codec

import (
	"cmp"
	"encoding/hex"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What Format shows at most.
const (
	formatBytes  = 4096 // of the whole text, about
	formatString = 200  // bytes of a string or binary
	formatItems  = 50   // elements of a list, set or map
	formatDepth  = 12
	formatSorted = 4096 // entries of a map that are brought into order
)

// Format writes a generated struct for people:
//
//	Order{id: 7, items: [Item{name: "tea"}], note: "…"}
//
// Optional fields that are absent are left out. The text is short whatever
// the struct holds: an ellipsis stands for what is left out of long strings,
// lists and deep structs, with the count. Entries of a map are in the order of
// their keys, but for very large maps. Generated String and Error methods
// call Format.
func Format(msg any) string {
	f := formatter{}
	f.value(reflect.ValueOf(msg), 0)
	if f.full() {
		end := formatBytes
		for end > 0 && !utf8.RuneStart(f.text[end]) {
			end--
		}
		return string(f.text[:end]) + "…"
	}
	return string(f.text)
}

// A formatter builds the text.
type formatter struct{ text []byte }

func (f *formatter) full() bool { return len(f.text) > formatBytes }

func (f *formatter) add(s string) { f.text = append(f.text, s...) }

// value writes a value of a generated type.
func (f *formatter) value(v reflect.Value, depth int) {
	if f.full() {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		f.text = strconv.AppendBool(f.text, v.Bool())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if enum, ok := v.Interface().(interface{ String() string }); ok {
			f.add(enum.String())
			return
		}
		f.text = strconv.AppendInt(f.text, v.Int(), 10)
	case reflect.Float64:
		f.text = strconv.AppendFloat(f.text, v.Float(), 'g', -1, 64)
	case reflect.String:
		f.quoted(v.String())
	case reflect.Array:
		if uuid, ok := v.Interface().(UUID); ok {
			f.add(uuid.String())
		}
	case reflect.Pointer:
		if v.IsNil() {
			f.add("nil")
			return
		}
		f.value(v.Elem(), depth)
	case reflect.Struct:
		f.structure(v, depth)
	case reflect.Slice:
		f.list(v, depth)
	case reflect.Map:
		f.mapping(v, depth)
	default:
		f.add("nil") // an interface without a value
	}
}

// quoted writes a string, shortened at the end of a letter.
func (f *formatter) quoted(s string) {
	if len(s) <= formatString {
		f.text = strconv.AppendQuote(f.text, s)
		return
	}
	end := formatString
	for end > formatString-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	f.text = strconv.AppendQuote(f.text, s[:end])
	f.more(len(s)-end, "bytes")
}

// more says how much is left out.
func (f *formatter) more(n int, what string) {
	f.add("…(+")
	f.text = strconv.AppendInt(f.text, int64(n), 10)
	f.add(" " + what + ")")
}

func (f *formatter) structure(v reflect.Value, depth int) {
	t := v.Type()
	f.add(t.Name())
	if depth >= formatDepth {
		f.add("{…}")
		return
	}
	f.add("{")
	first := true
	for i := range t.NumField() {
		name, rest, tagged := strings.Cut(t.Field(i).Tag.Get("thrift"), ",")
		field := v.Field(i)
		if !tagged {
			if t.Field(i).Name != "UnknownFields" || field.Kind() != reflect.Slice || field.Len() == 0 {
				continue
			}
			name = "unknown fields"
		}
		_, req, _ := strings.Cut(rest, ",")
		if strings.HasPrefix(req, "optional,") && field.IsZero() {
			continue
		}
		if !first {
			f.add(", ")
		}
		first = false
		f.add(name + ": ")
		f.value(field, depth+1)
		if f.full() {
			return
		}
	}
	f.add("}")
}

func (f *formatter) list(v reflect.Value, depth int) {
	elem := v.Type().Elem()
	switch {
	case elem.Kind() == reflect.Uint8:
		b := v.Bytes()
		f.add("0x")
		f.text = hex.AppendEncode(f.text, b[:min(len(b), formatString/2)])
		if len(b) > formatString/2 {
			f.more(len(b)-formatString/2, "bytes")
		}
		return
	case isPair(elem):
		f.entries(v.Len(), depth, func(i int) (key, value reflect.Value) {
			return v.Index(i).Field(0), v.Index(i).Field(1)
		})
		return
	case depth >= formatDepth && v.Len() > 0:
		f.add("[…]")
		return
	}
	f.add("[")
	for i := range v.Len() {
		if i > 0 {
			f.add(", ")
		}
		if i == formatItems {
			f.more(v.Len()-i, "more")
			break
		}
		f.value(v.Index(i), depth+1)
		if f.full() {
			return
		}
	}
	f.add("]")
}

// isPair reports whether a type is a Pair. Structs with tags are not.
func isPair(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Pair[") && t.NumField() == 2 &&
		t.Field(0).Tag.Get("thrift") == ""
}

func (f *formatter) mapping(v reflect.Value, depth int) {
	var keys []reflect.Value
	if v.Len() <= formatSorted {
		keys = v.MapKeys()
		slices.SortFunc(keys, compareKeys)
	} else {
		for entry := v.MapRange(); len(keys) <= formatItems && entry.Next(); {
			keys = append(keys, entry.Key())
		}
	}
	f.entries(v.Len(), depth, func(i int) (key, value reflect.Value) { return keys[i], v.MapIndex(keys[i]) })
}

// entries writes the entries of a map.
func (f *formatter) entries(n, depth int, entry func(int) (key, value reflect.Value)) {
	if depth >= formatDepth && n > 0 {
		f.add("{…}")
		return
	}
	f.add("{")
	for i := range n {
		if i > 0 {
			f.add(", ")
		}
		if i == formatItems {
			f.more(n-i, "more")
			break
		}
		key, value := entry(i)
		f.value(key, depth+1)
		f.add(": ")
		f.value(value, depth+1)
		if f.full() {
			return
		}
	}
	f.add("}")
}

// compareKeys brings keys of a map into order.
func compareKeys(a, b reflect.Value) int {
	switch a.Kind() {
	case reflect.Bool:
		return cmp.Compare(boolNumber(a), boolNumber(b))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cmp.Compare(a.Int(), b.Int())
	case reflect.Float64:
		return cmp.Compare(a.Float(), b.Float())
	case reflect.String:
		return strings.Compare(a.String(), b.String())
	case reflect.Array: // a UUID
		for i := range a.Len() {
			if c := cmp.Compare(a.Index(i).Uint(), b.Index(i).Uint()); c != 0 {
				return c
			}
		}
	}
	return 0
}

func boolNumber(v reflect.Value) int {
	if v.Bool() {
		return 1
	}
	return 0
}
