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

// A Rule compares a value with others. The values are of the value's type, or, for sizes,
// numbers.
type Rule struct {
	Name   string // const, lt, le, gt, ge, in, not_in, min_size, max_size, min_rune_size, max_rune_size, pattern, prefix, suffix, contains, not_contains or assert
	Values []RuleValue
}

// A RuleValue is a value in a rule, as the Thrift file has it and read.
type RuleValue struct {
	Text   string
	Int    int64
	Double float64
	Expr   *RuleExpr // known when a struct is validated; nil: a constant
}

// structRules reads the annotations vt.* of a struct and of its fields, which are known.
func (f *file) structRules(s structAST) {
	if !f.opt.Validate {
		return
	}
	named := map[string]*Field{}
	for _, x := range s.def.Fields {
		named[x.Name] = x
	}
	for _, ast := range s.ast.Fields {
		if ast == nil {
			continue
		}
		if x := named[ast.Name.Name]; x != nil && x.Pos == ast.Pos && x.Type != nil {
			x.Rules = f.rules(ast, x.Type, s.def.Fields)
		}
	}
	for _, a := range s.ast.Annotations {
		if a == nil || !strings.HasPrefix(a.Name, "vt.") {
			continue
		}
		e, err := parseExpr(a.Value, s.def.Fields, f.opt.RuleFuncs)
		switch {
		case a.Name != "vt.assert":
			f.errorf(a.Pos, "%s of struct %s: the only rule about a whole struct is vt.assert", clip(a.Name), clip(s.def.Name))
		case err != nil:
			f.errorf(a.Pos, "%s = %s: %v", a.Name, clip(strconv.Quote(a.Value)), err)
		case e.Kind != BoolExpr:
			f.errorf(a.Pos, "%s = %s: it is %v, and has to be true or false, as @equal is", a.Name, clip(strconv.Quote(a.Value)), e.Kind)
		default:
			s.def.Asserts = append(s.def.Asserts, Rule{"assert", []RuleValue{{Text: a.Value, Expr: e}}})
		}
	}
}

// rules reads the annotations vt.* of a field.
func (f *file) rules(ast *syntax.Field, t *Type, fields []*Field) *Rules {
	var all *Rules
	for _, a := range ast.Annotations {
		if a == nil || !strings.HasPrefix(a.Name, "vt.") {
			continue
		}
		if all == nil {
			all = new(Rules)
		}
		f.rule(all, a, strings.TrimPrefix(a.Name, "vt."), t, fields)
	}
	return all
}

// rule reads one annotation; what it says is about a value of the type.
func (f *file) rule(to *Rules, a *syntax.Annotation, name string, t *Type, fields []*Field) {
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
			f.rule(to.Elem, a, rest, t.Elem, fields)
		case part == "key" && t.Kind == Map:
			if to.Key == nil {
				to.Key = new(Rules)
			}
			f.rule(to.Key, a, rest, t.Key, fields)
		case part == "elem" || part == "key" || part == "value":
			wrong("a value of type " + t.String() + " has no " + part)
		default:
			wrong("there is no such rule")
		}
		return
	}
	var expr *RuleExpr
	if strings.HasPrefix(value, "$") || strings.HasPrefix(value, "@") {
		var err error
		if expr, err = parseExpr(value, fields, f.opt.RuleFuncs); err != nil {
			wrong(err.Error())
			return
		}
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
	case "min_rune_size", "max_rune_size":
		if fits = text; fits {
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
			if expr != nil {
				wrong("a pattern is fixed: references and functions are for other rules")
				return
			}
			if _, err := regexp.Compile(value); err != nil {
				wrong("it is no regular expression as Go has them: " + err.Error())
				return
			}
		}
	case "assert":
		wrong("assertions are annotations of the struct: write it behind the struct's }")
		return
	default:
		wrong("there is no such rule")
		return
	}
	if !fits {
		wrong("that is no rule for a value of type " + t.String())
		return
	}
	var v RuleValue
	why := ""
	if expr != nil {
		v, why = RuleValue{Text: value, Expr: expr}, expr.unfit(t)
	} else if v, why = ruleValue(value, t); why == "" && strings.HasSuffix(name, "_size") && v.Int < 0 {
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

// unfit says why a value of the type can't be compared with an expression.
func (e *RuleExpr) unfit(t *Type) string {
	k := exprKindOf(t)
	if k == e.Kind || k <= DoubleExpr && e.Kind <= DoubleExpr {
		return ""
	}
	return "it is " + e.Kind.String() + ", and is compared with " + k.String()
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
