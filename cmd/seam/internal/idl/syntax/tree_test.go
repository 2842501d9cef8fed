package syntax

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// layout are the parts of a tree that say only where something stands.
var layout = []string{"Pos", "End", "Path", "BlankBefore", "Breaks", "Joined", "Break", "ArgLines", "ThrowLines", "AttrLines"}

// outline writes a tree as text, without its layout, for comparisons.
func outline(f *File) string {
	var b strings.Builder
	write(&b, reflect.ValueOf(f), "")
	return b.String()
}

func write(b *strings.Builder, v reflect.Value, indent string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString(" none\n")
			return
		}
		write(b, v.Elem(), indent)
	case reflect.Struct:
		fmt.Fprintf(b, " %s\n", v.Type().Name())
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; !slices.Contains(layout, name) {
				fmt.Fprintf(b, "%s  %s", indent, name)
				write(b, v.Field(i), indent+"  ")
			}
		}
	case reflect.Slice:
		fmt.Fprintf(b, " %d\n", v.Len())
		for i := range v.Len() {
			fmt.Fprintf(b, "%s  -", indent)
			write(b, v.Index(i), indent+"  ")
		}
	default:
		fmt.Fprintf(b, " %#v\n", v.Interface())
	}
}

// commentsOf returns all comments of a source in order, each without the blanks
// at the ends of its lines.
func commentsOf(src []byte) []string {
	var all []string
	l := newLexer(src, func(Pos, string, ...any) {})
	for {
		t := l.next()
		for _, c := range t.lead {
			lines := strings.Split(c.text, "\n")
			for i, line := range lines {
				lines[i] = strings.Trim(line, " \t\r")
			}
			all = append(all, strings.Join(lines, "\n"))
		}
		if t.kind == endOfFile {
			return all
		}
	}
}

// checkPrint tells what is wrong with the canonical text of a source, if
// anything is; a source with mistakes has none.
func checkPrint(src []byte) error {
	tree, errs := Parse("a.thrift", src)
	if errs.Fatal() {
		return nil
	}
	want := outline(tree)
	once := Print(tree)
	again, errs := Parse("a.thrift", once)
	if errs.Fatal() {
		return fmt.Errorf("the printed text has mistakes:\n%v\n%s", errs, once)
	}
	if got := outline(again); got != want {
		return fmt.Errorf("the printed text has another tree:\n%s%s", once, firstDifference(want, got))
	}
	if twice := Print(again); string(twice) != string(once) {
		return fmt.Errorf("printed again it is another text:\n%s", firstDifference(string(once), string(twice)))
	}
	if was, is := commentsOf(src), commentsOf(once); !slices.Equal(was, is) {
		slices.Sort(was)
		slices.Sort(is)
		if !slices.Equal(was, is) {
			return fmt.Errorf("comments are lost or changed:\n%s", firstDifference(strings.Join(was, "\n"), strings.Join(is, "\n")))
		}
	}
	for i, line := range strings.Split(string(once), "\n") {
		if line != strings.TrimRight(line, " \t\r") {
			return fmt.Errorf("line %d ends with blanks: %q", i+1, line)
		}
	}
	return nil
}

// firstDifference shows where two texts part.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	near := func(lines []string) string {
		return strings.Join(lines[max(0, min(i, len(lines))-4):min(len(lines), i+4)], "\n")
	}
	return fmt.Sprintf("line %d\n--- was\n%s\n--- is\n%s\n", i+1, near(x), near(y))
}
