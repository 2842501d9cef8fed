package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A RuleExpr is a value in a rule that is known when a struct is validated: a field of the same
// struct, or what a function makes of its arguments.
type RuleExpr struct {
	Kind   ExprKind
	Field  *Field // a reference; nil: none
	Func   string // a name of ruleFunctions, or that of Own; "": none
	Own    *RuleFunc
	Args   []*RuleExpr
	Int    int64 // the rest is for constants
	Double float64
	Text   string
}

// ExprKind is the type of an expression.
type ExprKind uint8

// The types of expressions.
const (
	IntExpr    ExprKind = iota // of 64 bits; an enum is one
	DoubleExpr                 //
	TextExpr                   // a string or a binary
	BoolExpr
	OtherExpr // a container or a struct, for len and nothing else
)

func (k ExprKind) String() string {
	return [...]string{"a number", "a double", "text", "true or false", "a container or a struct"}[k]
}

// ruleFunctions are the functions that there are.
var ruleFunctions = []string{"len", "sprintf", "now_unix_nano", "equal", "mod", "add"}

// parseExpr reads an expression over the fields of a struct, with functions of the user's own.
func parseExpr(text string, fields []*Field, own []*RuleFunc) (*RuleExpr, error) {
	p := exprParser{text: text, fields: fields, own: own}
	e, err := p.value(0)
	if err == nil && p.space() < len(p.text) {
		err = fmt.Errorf("there is more behind its end: %s", clip(strconv.Quote(p.text[p.i:])))
	}
	return e, err
}

type exprParser struct {
	text   string
	i      int
	fields []*Field
	own    []*RuleFunc
}

// space passes over white space.
func (p *exprParser) space() int {
	for p.i < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.i]) >= 0 {
		p.i++
	}
	return p.i
}

func (p *exprParser) at(c byte) bool { return p.space() < len(p.text) && p.text[p.i] == c }

// word is a name: letters, digits, _ and dots.
func (p *exprParser) word() string {
	from := p.i
	for p.i < len(p.text) {
		c := p.text[p.i]
		if c != '_' && c != '.' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		p.i++
	}
	return p.text[from:p.i]
}

// value reads a constant, a reference or a call.
func (p *exprParser) value(depth int) (*RuleExpr, error) {
	const most = 16
	if depth > most {
		return nil, fmt.Errorf("its functions are nested deeper than %d", most)
	}
	if p.space() == len(p.text) {
		return nil, fmt.Errorf("it ends where a value should be")
	}
	switch c := p.text[p.i]; {
	case c == '$':
		p.i++
		return p.reference(p.word())
	case c == '@':
		p.i++
		return p.call(p.word(), depth)
	case c == '"' || c == '\'':
		return p.literal(c)
	case c == '+' || c == '-' || c == '.' || c >= '0' && c <= '9':
		return p.number()
	}
	return nil, fmt.Errorf("a value is a number, text in quotation marks, $field or @function(…); found %s", clip(strconv.Quote(p.text[p.i:])))
}

func (p *exprParser) reference(name string) (*RuleExpr, error) {
	for _, x := range p.fields {
		if x.Name == name && x.Type != nil {
			return &RuleExpr{Kind: exprKindOf(x.Type), Field: x}, nil
		}
	}
	return nil, fmt.Errorf("the struct has no field %s", clip(name))
}

func exprKindOf(t *Type) ExprKind {
	switch t.Kind {
	case Bool:
		return BoolExpr
	case I8, I16, I32, I64, EnumKind:
		return IntExpr
	case Double:
		return DoubleExpr
	case String, Binary:
		return TextExpr
	}
	return OtherExpr
}

func (p *exprParser) number() (*RuleExpr, error) {
	from := p.i
	for p.i < len(p.text) && strings.IndexByte(",; \t\r\n)", p.text[p.i]) < 0 {
		p.i++
	}
	text := p.text[from:p.i]
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return &RuleExpr{Kind: IntExpr, Int: n}, nil
	}
	d, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(d, 0) || math.IsNaN(d) {
		return nil, fmt.Errorf("%s is no number", clip(text))
	}
	return &RuleExpr{Kind: DoubleExpr, Double: d}, nil
}

func (p *exprParser) literal(quote byte) (*RuleExpr, error) {
	p.i++
	var b strings.Builder
	for ; p.i < len(p.text); p.i++ {
		switch c := p.text[p.i]; {
		case c == quote:
			p.i++
			return &RuleExpr{Kind: TextExpr, Text: b.String()}, nil
		case c == '\\' && p.i+1 < len(p.text) && (p.text[p.i+1] == '"' || p.text[p.i+1] == '\''):
			p.i++
			b.WriteByte(p.text[p.i])
		default:
			b.WriteByte(c)
		}
	}
	return nil, fmt.Errorf("the text has no second quotation mark")
}

func (p *exprParser) call(name string, depth int) (*RuleExpr, error) {
	if !p.at('(') {
		return nil, fmt.Errorf("behind @%s there is no (", clip(name))
	}
	p.i++
	e := &RuleExpr{Func: name}
	for _, f := range p.own {
		if f.Name == name {
			e.Own = f
		}
	}
	for !p.at(')') {
		if p.i == len(p.text) {
			return nil, fmt.Errorf("the ) of @%s is missing", clip(name))
		}
		arg, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		e.Args = append(e.Args, arg)
		if p.at(',') || p.at(';') {
			p.i++
		}
	}
	p.i++
	return e, e.check(p.own)
}

// check finds the type of a call.
func (e *RuleExpr) check(own []*RuleFunc) error {
	kinds := make([]ExprKind, len(e.Args))
	for k, a := range e.Args {
		kinds[k] = a.Kind
	}
	count := func(n int) error {
		if len(kinds) != n {
			return fmt.Errorf("@%s has %d arguments, and needs %d", e.Func, len(kinds), n)
		}
		return nil
	}
	if e.Own != nil {
		return e.checkOwn(kinds)
	}
	number := func(k ExprKind) bool { return k == IntExpr || k == DoubleExpr }
	switch e.Func {
	case "len":
		e.Kind = IntExpr
		if err := count(1); err != nil {
			return err
		}
		if kinds[0] != TextExpr && (kinds[0] != OtherExpr || e.Args[0].Field.Type.Kind < List) {
			return fmt.Errorf("@len is for text and containers")
		}
	case "sprintf":
		return e.checkSprintf(kinds)
	case "now_unix_nano":
		e.Kind = IntExpr
		return count(0)
	case "equal":
		e.Kind = BoolExpr
		if err := count(2); err != nil {
			return err
		}
		if kinds[0] == OtherExpr || kinds[0] != kinds[1] && (!number(kinds[0]) || !number(kinds[1])) {
			return fmt.Errorf("@equal can't compare %v and %v", kinds[0], kinds[1])
		}
	case "mod":
		e.Kind = IntExpr
		if err := count(2); err != nil {
			return err
		}
		if kinds[0] != IntExpr || kinds[1] != IntExpr {
			return fmt.Errorf("@mod is for whole numbers")
		}
		if d := e.Args[1]; d.Field == nil && d.Func == "" && d.Int == 0 {
			return fmt.Errorf("@mod divides by 0")
		}
	case "add":
		if err := count(2); err != nil {
			return err
		}
		switch {
		case kinds[0] == kinds[1] && (number(kinds[0]) || kinds[0] == TextExpr):
			e.Kind = kinds[0]
		case number(kinds[0]) && number(kinds[1]):
			e.Kind = DoubleExpr
		default:
			return fmt.Errorf("@add can't add %v and %v", kinds[0], kinds[1])
		}
	default:
		names := slices.Clone(ruleFunctions)
		for _, f := range own {
			names = append(names, f.Name)
		}
		return fmt.Errorf("there is no function %s: there are %s; --validate-func adds one", clip(e.Func), strings.Join(names, ", "))
	}
	return nil
}

// checkSprintf tries the format with values of the types.
func (e *RuleExpr) checkSprintf(kinds []ExprKind) error {
	e.Kind = TextExpr
	if len(e.Args) == 0 || kinds[0] != TextExpr || e.Args[0].Field != nil || e.Args[0].Func != "" {
		return fmt.Errorf("the first argument of @sprintf is a format in quotation marks")
	}
	values := make([]any, 0, len(kinds))
	for _, k := range kinds[1:] {
		if k == OtherExpr {
			return fmt.Errorf("@sprintf formats numbers, text and bools")
		}
		values = append(values, [...]any{IntExpr: int64(0), DoubleExpr: 0.0, TextExpr: "", BoolExpr: false}[k])
	}
	const most = 100 // a width of more would make a long text of a short one
	for _, n := range strings.FieldsFunc(e.Args[0].Text, func(r rune) bool { return r < '0' || r > '9' }) {
		if v, err := strconv.Atoi(n); err != nil || v > most {
			return fmt.Errorf("the format of @sprintf has a number above %d", most)
		}
	}
	if strings.Contains(e.Args[0].Text, "*") {
		return fmt.Errorf("the format of @sprintf has a *, which is not supported")
	}
	if made := fmt.Sprintf(e.Args[0].Text, values...); strings.Contains(made, "%!") {
		return fmt.Errorf("the format of @sprintf doesn't fit its arguments: it makes %s", clip(made))
	}
	return nil
}
