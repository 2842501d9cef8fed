package model

import (
	"fmt"
	"slices"
	"strings"
)

// A RuleFunc is a Go function of the user's own that rules may call.
type RuleFunc struct {
	Name    string     // in rules, behind @
	Params  []ExprKind //
	Result  ExprKind   //
	Package string     // the import path of the function's package
	Func    string     // its name there
}

// ruleFuncTypes are the types that such a function may have, as Go names them.
var ruleFuncTypes = map[string]ExprKind{"int64": IntExpr, "float64": DoubleExpr, "string": TextExpr, "bool": BoolExpr}

// ParseRuleFunc reads a declaration like
//
//	luhn(string) bool=example.com/app/rules.Luhn
func ParseRuleFunc(text string) (*RuleFunc, error) {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s; it is written like luhn(string) bool=example.com/app/rules.Luhn", clip(text), fmt.Sprintf(format, args...))
	}
	signature, target, ok := strings.Cut(text, "=")
	if !ok {
		return nil, wrong("it has no =")
	}
	name, rest, ok := strings.Cut(signature, "(")
	params, result, ok2 := strings.Cut(rest, ")")
	if !ok || !ok2 {
		return nil, wrong("it has no arguments in brackets")
	}
	f := &RuleFunc{Name: strings.TrimSpace(name)}
	switch {
	case !identifier(f.Name):
		return nil, wrong("%q is no name", f.Name)
	case slices.Contains(ruleFunctions, f.Name):
		return nil, wrong("there is a function %s already", f.Name)
	}
	if strings.TrimSpace(params) != "" {
		for p := range strings.SplitSeq(params, ",") {
			k, ok := ruleFuncTypes[strings.TrimSpace(p)]
			if !ok {
				return nil, wrong("an argument is an int64, a float64, a string or a bool, and not %q", strings.TrimSpace(p))
			}
			f.Params = append(f.Params, k)
		}
	}
	if f.Result, ok = ruleFuncTypes[strings.TrimSpace(result)]; !ok {
		return nil, wrong("the result is an int64, a float64, a string or a bool, and not %q", strings.TrimSpace(result))
	}
	target = strings.TrimSpace(target)
	dot := strings.LastIndexByte(target, '.')
	if dot <= strings.LastIndexByte(target, '/') || dot <= 0 {
		return nil, wrong("behind the = stand an import path, a dot and a function")
	}
	f.Package, f.Func = target[:dot], target[dot+1:]
	if !identifier(f.Func) || f.Func[0] < 'A' || f.Func[0] > 'Z' {
		return nil, wrong("%q is no exported name", f.Func)
	}
	if strings.ContainsAny(f.Package, " \t\"\\`") {
		return nil, wrong("%q is no import path", f.Package)
	}
	return f, nil
}

// identifier reports whether a text is a name of ASCII.
func identifier(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// checkOwn finds the type of a call of a function of the user's.
func (e *RuleExpr) checkOwn(kinds []ExprKind) error {
	e.Kind = e.Own.Result
	if len(kinds) != len(e.Own.Params) {
		return fmt.Errorf("@%s has %d arguments, and needs %d", e.Func, len(kinds), len(e.Own.Params))
	}
	for i, want := range e.Own.Params {
		if kinds[i] != want && (want != DoubleExpr || kinds[i] != IntExpr) {
			return fmt.Errorf("argument %d of @%s is %v, and has to be %v", i+1, e.Func, kinds[i], want)
		}
	}
	return nil
}
