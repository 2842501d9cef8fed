package layout

import (
	"fmt"
	"strings"
)

// declare writes a C declaration: "int *name[4]".
func declare(t *Type, name string) string {
	switch {
	case t.named:
	case t.Kind == Array:
		count := ""
		if t.Count >= 0 {
			count = fmt.Sprint(t.Count)
		}
		return declare(t.Elem, name+"["+count+"]")
	case t.pointee != nil:
		star := "*"
		if t.prefix != "" {
			star += t.prefix + " "
		}
		star += name
		switch to := t.pointee; {
		case to.Kind == FuncPtr && to.pointee == nil:
			result, parameters, _ := strings.Cut(to.Name, " (")
			return result + " (" + strings.TrimRight(star, " ") + ")(" + parameters
		case to.Kind == Array && !to.named:
			return declare(to, "("+star+")")
		default:
			return declare(to, star)
		}
	}
	if name == "" {
		return t.Name
	}
	if strings.HasPrefix(name, "[") {
		return t.Name + name
	}
	return strings.TrimRight(t.Name+" "+name, " ")
}

// goSpelling is a Go type as its own package writes it.
func goSpelling(t *Type, pkg string) string {
	var b strings.Builder
	name := t.Name
	for {
		at := strings.Index(name, pkg+".")
		if at < 0 {
			b.WriteString(name)
			break
		}
		b.WriteString(name[:at])
		before := byte(' ')
		if at > 0 {
			before = name[at-1]
		}
		// other.p.T and xp.T are not of package p
		if before == '.' || before == '_' || '0' <= before && before <= '9' || 'a' <= before && before <= 'z' || 'A' <= before && before <= 'Z' || before >= 0x80 {
			b.WriteString(name[at : at+len(pkg)+1])
		}
		name = name[at+len(pkg)+1:]
	}
	// What has no name in C and is in no pair by itself keeps none.
	return strings.ReplaceAll(unnamed.ReplaceAllString(b.String(), "$1{…}"), "_Ctype_", "C.")
}
