package model

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// Rules are what the annotations vt.* of a field ask of a value: thriftgo's validator has defined
// them.
type Rules struct {
	NotNil      bool // the field is there
	Skip        bool // the struct is not looked into
	DefinedOnly bool // an enum has a name
	NoSparse    bool // no struct in a container is nil
	List        []Rule

	Key, Elem *Rules // of a container; nil: none
}

// A Rule compares a value with others. The values are constants of the value's type, or, for
// sizes, a number.
type Rule struct {
	Name   string // const, lt, le, gt, ge, in, not_in, min_size, max_size, pattern, prefix, suffix, contains or not_contains
	Values []RuleValue
}

// A RuleValue is a value in a rule, as the Thrift file has it and read.
type RuleValue struct {
	Text   string
	Int    int64
	Double float64
}

// rules reads the annotations vt.* of a field.
func (f *file) rules(ast *syntax.Field, t *Type) *Rules {
	var all *Rules
	for _, a := range ast.Annotations {
		if a == nil || !strings.HasPrefix(a.Name, "vt.") {
			continue
		}
		if all == nil {
			all = new(Rules)
		}
		f.rule(all, a, strings.TrimPrefix(a.Name, "vt."), t)
	}
	return all
}

// rule reads one annotation; what it says is about a value of the type.
func (f *file) rule(to *Rules, a *syntax.Annotation, name string, t *Type) {
	value := a.Value
	if !a.HasValue {
		value = "1"
	}
	wrong := func(why string) {
		f.errorf(a.Pos, "%s = %s: %s", clip(a.Name), clip(strconv.Quote(value)), why)
	}
	if part, rest, ok := strings.Cut(name, "."); ok {
		container := t.Kind == List || t.Kind == Set || t.Kind == Map
		switch {
		case part == "elem" && container || part == "value" && t.Kind == Map:
			if to.Elem == nil {
				to.Elem = new(Rules)
			}
			f.rule(to.Elem, a, rest, t.Elem)
		case part == "key" && t.Kind == Map:
			if to.Key == nil {
				to.Key = new(Rules)
			}
			f.rule(to.Key, a, rest, t.Key)
		case part == "elem" || part == "key" || part == "value":
			wrong("a value of type " + t.String() + " has no " + part)
		default:
			wrong("there is no such rule")
		}
		return
	}
	if strings.HasPrefix(value, "$") || strings.HasPrefix(value, "@") {
		wrong("references to other fields and functions are not supported; check it in the handler")
		return
	}
	flag := func(p *bool, fits bool) {
		b, err := strconv.ParseBool(value)
		switch {
		case err != nil:
			wrong("the value is true or false")
		case !fits:
			wrong("that is no rule for a value of type " + t.String())
		default:
			*p = b
		}
	}
	sized := t.Kind == String || t.Kind == Binary || t.Kind == List || t.Kind == Set || t.Kind == Map
	text := t.Kind == String || t.Kind == Binary
	number := t.Kind >= I8 && t.Kind <= Double
	fits := false
	switch name {
	case "not_nil":
		flag(&to.NotNil, true)
		return
	case "skip":
		flag(&to.Skip, t.Kind == StructKind)
		return
	case "defined_only":
		flag(&to.DefinedOnly, t.Kind == EnumKind)
		return
	case "no_sparse":
		flag(&to.NoSparse, sized && !text && t.Elem.Kind == StructKind)
		return
	case "min_size", "max_size":
		if fits = sized; fits {
			t = &Type{Kind: I32}
		}
	case "lt", "le", "gt", "ge":
		fits = number
	case "const":
		fits = number || text || t.Kind == Bool || t.Kind == EnumKind
	case "in", "not_in":
		fits = number || text || t.Kind == EnumKind
	case "prefix", "suffix", "contains", "not_contains":
		fits = text
	case "pattern":
		if fits = text; fits {
			if _, err := regexp.Compile(value); err != nil {
				wrong("it is no regular expression as Go has them: " + err.Error())
				return
			}
		}
	case "assert":
		wrong("assertions are not supported; check it in the handler")
		return
	default:
		wrong("there is no such rule")
		return
	}
	if !fits {
		wrong("that is no rule for a value of type " + t.String())
		return
	}
	v, why := ruleValue(value, t)
	if why == "" && (name == "min_size" || name == "max_size") && v.Int < 0 {
		why = "a size is not negative"
	}
	if why != "" {
		wrong(why)
		return
	}
	i := slices.IndexFunc(to.List, func(r Rule) bool { return r.Name == name })
	switch {
	case i < 0:
		to.List = append(to.List, Rule{name, []RuleValue{v}})
	case name == "in" || name == "not_in":
		to.List[i].Values = append(to.List[i].Values, v)
	default:
		wrong("the rule is there twice")
	}
}

// ruleValue reads a constant of the type.
func ruleValue(text string, t *Type) (v RuleValue, why string) {
	v.Text = text
	var err error
	switch t.Kind {
	case Bool:
		var b bool
		if b, err = strconv.ParseBool(text); err != nil {
			return v, "the value is true or false"
		}
		if b {
			v.Int = 1
		}
	case I8, I16, I32, I64:
		bits := [...]int{I8: 8, I16: 16, I32: 32, I64: 64}[t.Kind]
		if v.Int, err = strconv.ParseInt(text, 0, bits); err != nil {
			return v, "the value is no number of " + strconv.Itoa(bits) + " bits"
		}
	case Double:
		if v.Double, err = strconv.ParseFloat(text, 64); err != nil || math.IsNaN(v.Double) || math.IsInf(v.Double, 0) {
			return v, "the value is no number"
		}
	case EnumKind:
		if v.Int, err = strconv.ParseInt(text, 0, 32); err == nil {
			return v, ""
		}
		name := text[strings.LastIndexByte(text, '.')+1:]
		for _, x := range t.Enum.Values {
			if x.Name == name {
				v.Int = int64(x.Value)
				return v, ""
			}
		}
		return v, "enum " + t.Enum.Name + " has no value of that name"
	}
	return v, ""
}
