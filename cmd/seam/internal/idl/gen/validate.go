package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// validatePath is the run-time of the methods Validate.
const validatePath = "github.com/seamgo/seam/thrift/validate"

// validate writes the method Validate, with what the annotations vt.* of the fields ask for.
func (f *file) validate(s *model.Struct, name string) {
	if !f.opt.Validate {
		return
	}
	f.Apart("// Validate checks what the annotations vt.* of the Thrift file ask for. An error is a")
	f.P("// *validate.Error, which names the field and the rule.")
	f.P("func (p *", name, ") Validate() error {")
	w := &ruleWriter{file: f, of: s}
	var body strings.Builder
	for _, x := range s.Fields {
		field := f.fieldName(s, x)
		if field == "Validate" || f.opt.Kitex && field == "IsValid" {
			panic(unsupported(fmt.Sprintf("%s:%d:%d: field %s of %s has the name of the method that --validate writes: rename it, or leave the option out", s.Program.Path, x.Pos.Line, x.Pos.Col, x.Name, s.Name)))
		}
		w.field(&body, "p."+field, strconv.Quote(s.Name+"."+x.Name), x)
	}
	for i := range s.Asserts {
		r := &s.Asserts[i]
		fmt.Fprintf(&body, "if !%s {\n%s\n}\n", w.operand(r.Values[0].Expr), w.fail(strconv.Quote(s.Name), r.Name, r))
	}
	if body.Len() > 0 {
		f.Block("if p == nil", "return nil")
		f.statement(strings.ReplaceAll(body.String(), "\x00", f.use(validatePath)))
	}
	f.P("return nil")
	f.P("}")
	if f.opt.Kitex {
		f.Apart("// IsValid is Validate, by the name that thriftgo's validator gives it.")
		f.short("func (p *"+name+") IsValid() error {", "return p.Validate()")
	}
}

// A ruleWriter writes the checks of a struct.
type ruleWriter struct {
	*file
	of    *model.Struct // the struct, whose fields rules may refer to
	depth int           // of loops
}

// run stands for the run-time until it is known whether what is written needs it.
func (w *ruleWriter) run() string { return "\x00" }

// fail writes the statement for a value that breaks a rule.
func (w *ruleWriter) fail(path, name string, r *model.Rule) string {
	rule := "vt." + name
	if r != nil {
		var values []string
		for _, v := range r.Values {
			values = append(values, strconv.Quote(v.Text))
		}
		rule += " = " + strings.Join(values, ", ")
	}
	return "return " + w.run() + ".Failed(" + path + ", " + strconv.Quote(rule) + ")"
}

// field writes the checks of a field. One that is absent breaks no rule but not_nil.
func (w *ruleWriter) field(b *strings.Builder, value, path string, x *model.Field) {
	rules := x.Rules
	if rules == nil {
		rules = new(model.Rules)
	}
	nilable := pointerField(x) || x.Type.Kind >= model.StructKind || x.Type.Kind == model.Binary
	if rules.NotNil && nilable {
		fmt.Fprintf(b, "if %s == nil {\n%s\n}\n", value, w.fail(path, "not_nil", nil))
	}
	inner := value
	if pointerField(x) {
		inner = "*" + value
	}
	var body strings.Builder
	w.value(&body, inner, path, x.Type, rules)
	switch {
	case body.Len() == 0:
	case nilable && (x.Req == model.Optional || x.Type.Kind == model.StructKind):
		fmt.Fprintf(b, "if %s != nil {\n%s}\n", value, body.String())
	default:
		b.WriteString(body.String())
	}
}

// value writes the checks of a value.
func (w *ruleWriter) value(b *strings.Builder, value, path string, t *model.Type, rules *model.Rules) {
	for i := range rules.List {
		w.rule(b, value, path, t, &rules.List[i])
	}
	switch t.Kind {
	case model.EnumKind:
		if rules.DefinedOnly {
			var values []model.RuleValue
			for _, v := range t.Enum.Values {
				values = append(values, model.RuleValue{Int: int64(v.Value)})
			}
			w.among(b, value, t, values, "", w.fail(path, "defined_only", nil))
		}
	case model.StructKind:
		if rules.Skip {
			return
		}
		address := value
		if t.InPlace {
			address = "&" + value
		}
		fmt.Fprintf(b, "if err := %s.Nested(%s); err != nil {\nreturn %s.Within(%s, err)\n}\n", w.run(), address, w.run(), path)
	case model.List, model.Set:
		w.elements(b, value, path, t, rules)
	case model.Map:
		w.pairs(b, value, path, t, rules)
	}
}

// some returns rules that are not nil.
func some(r *model.Rules) *model.Rules {
	if r == nil {
		return new(model.Rules)
	}
	return r
}

// elements writes the loop over a list.
func (w *ruleWriter) elements(b *strings.Builder, value, path string, t *model.Type, rules *model.Rules) {
	n := strconv.Itoa(w.depth)
	w.depth++
	defer func() { w.depth-- }()
	key, elem := "k"+n, "v"+n
	loop := key + ", " + elem
	if t.Elem.Kind == model.StructKind && t.Elem.InPlace { // not a copy
		loop, elem = key, value+"["+key+"]"
	}
	at := w.run() + ".At(" + path + ", " + key + ")"
	var body strings.Builder
	w.sparse(&body, elem, at, t.Elem, rules, some(rules.Elem))
	w.value(&body, elem, at, t.Elem, some(rules.Elem))
	if body.Len() > 0 {
		fmt.Fprintf(b, "for %s := range %s {\n%s}\n", loop, value, body.String())
	}
}

// sparse writes the check that a struct in a container is there.
func (w *ruleWriter) sparse(b *strings.Builder, elem, at string, t *model.Type, rules, own *model.Rules) {
	if t.Kind != model.StructKind || t.InPlace {
		return
	}
	switch {
	case rules.NoSparse:
		fmt.Fprintf(b, "if %s == nil {\n%s\n}\n", elem, w.fail(at, "no_sparse", nil))
	case own.NotNil:
		fmt.Fprintf(b, "if %s == nil {\n%s\n}\n", elem, w.fail(at, "not_nil", nil))
	}
}

// pairs writes the loop over a map, or a list of pairs.
func (w *ruleWriter) pairs(b *strings.Builder, value, path string, t *model.Type, rules *model.Rules) {
	n := strconv.Itoa(w.depth)
	w.depth++
	defer func() { w.depth-- }()
	key, elem, index := "k"+n, "v"+n, "k"+n
	list := !comparableKey(t.Key)
	if list {
		key, elem, index = "v"+n+".Key", "v"+n+".Value", "k"+n
	}
	if t.Key.Kind == model.Binary && !list {
		index = "string(" + index + ")"
	}
	at := w.run() + ".At(" + path + ", " + index + ")"
	var keys, values strings.Builder
	keyType := t.Key
	if keyType.Kind == model.Binary && !list {
		keyType = &model.Type{Kind: model.String}
	}
	w.value(&keys, key, at+` + ".key"`, keyType, some(rules.Key))
	w.sparse(&values, elem, at, t.Elem, rules, some(rules.Elem))
	w.value(&values, elem, at, t.Elem, some(rules.Elem))
	switch {
	case keys.Len()+values.Len() == 0:
	case list || values.Len() > 0:
		fmt.Fprintf(b, "for k%s, v%s := range %s {\n%s%s}\n", n, n, value, keys.String(), values.String())
	default:
		fmt.Fprintf(b, "for k%s := range %s {\n%s}\n", n, value, keys.String())
	}
}

// rule writes the check of one rule.
func (w *ruleWriter) rule(b *strings.Builder, value, path string, t *model.Type, r *model.Rule) {
	fail := w.fail(path, r.Name, r)
	literal := w.valueOf(t, r.Values[0])
	text := value
	if t.Kind == model.Binary {
		text = "string(" + value + ")"
	}
	condition := ""
	switch r.Name {
	case "in", "not_in":
		w.oneOf(b, text, t, r, fail)
		return
	case "const":
		switch left, right := w.comparable(text, t, r.Values[0]); {
		case r.Values[0].Expr != nil || t.Kind != model.Bool:
			condition = left + " != " + right
		case r.Values[0].Int == 1:
			condition = "!" + value
		default:
			condition = value
		}
	case "lt", "le", "gt", "ge": // so that a double which is no number breaks them
		left, right := w.comparable(value, t, r.Values[0])
		condition = "!(" + left + " " + map[string]string{"lt": "<", "le": "<=", "gt": ">", "ge": ">="}[r.Name] + " " + right + ")"
	case "min_size", "max_size":
		condition = w.size("len("+value+")", r)
	case "min_rune_size", "max_rune_size":
		condition = w.size(w.useAs("unicode/utf8", "utf8")+".RuneCountInString("+text+")", r)
	case "pattern":
		condition = "!" + w.run() + ".Matches(" + literal + ", " + text + ")"
	case "prefix":
		condition = "!" + w.use("strings") + ".HasPrefix(" + text + ", " + literal + ")"
	case "suffix":
		condition = "!" + w.use("strings") + ".HasSuffix(" + text + ", " + literal + ")"
	case "contains":
		condition = "!" + w.use("strings") + ".Contains(" + text + ", " + literal + ")"
	case "not_contains":
		condition = w.use("strings") + ".Contains(" + text + ", " + literal + ")"
	}
	fmt.Fprintf(b, "if %s {\n%s\n}\n", condition, fail)
}

// size writes the comparison of a size with a rule's value.
func (w *ruleWriter) size(size string, r *model.Rule) string {
	sign := " > "
	if strings.HasPrefix(r.Name, "min_") {
		sign = " < "
	}
	if e := r.Values[0].Expr; e != nil {
		left, right := "int64("+size+")", w.operand(e)
		if e.Kind == model.DoubleExpr {
			left = "float64(" + size + ")"
		}
		return left + sign + right
	}
	return size + sign + strconv.FormatInt(r.Values[0].Int, 10)
}

// oneOf writes the rules in and not_in: a switch over constants, else comparisons.
func (w *ruleWriter) oneOf(b *strings.Builder, text string, t *model.Type, r *model.Rule, fail string) {
	if !slices.ContainsFunc(r.Values, func(v model.RuleValue) bool { return v.Expr != nil }) {
		if r.Name == "in" {
			w.among(b, text, t, r.Values, "", fail)
		} else {
			w.among(b, text, t, r.Values, fail, "")
		}
		return
	}
	var list []string
	for _, v := range r.Values {
		left, right := w.comparable(text, t, v)
		list = append(list, left+" == "+right)
	}
	condition := strings.Join(list, " || ")
	if r.Name == "in" {
		condition = "!(" + condition + ")"
	}
	fmt.Fprintf(b, "if %s {\n%s\n}\n", condition, fail)
}

// valueOf is a rule's value in Go, of the value's type if it is a constant.
func (w *ruleWriter) valueOf(t *model.Type, v model.RuleValue) string {
	if v.Expr != nil {
		return w.operand(v.Expr)
	}
	return w.literalOf(t, v)
}

// comparable are a value and a rule's value in types that Go compares.
func (w *ruleWriter) comparable(value string, t *model.Type, v model.RuleValue) (left, right string) {
	right = w.valueOf(t, v)
	e := v.Expr
	switch {
	case e == nil || e.Kind == model.TextExpr || e.Kind == model.BoolExpr:
		return value, right
	case e.Kind == model.DoubleExpr && t.Kind == model.Double:
		return value, right
	case t.Kind == model.Double:
		return value, "float64(" + right + ")"
	case e.Kind == model.DoubleExpr:
		return "float64(" + value + ")", right
	}
	return "int64(" + value + ")", right
}

// operand is an expression in Go: an int64, float64, string or bool, or a container.
func (w *ruleWriter) operand(e *model.RuleExpr) string {
	var args []string
	for _, a := range e.Args {
		args = append(args, w.operand(a))
	}
	switch {
	case e.Field != nil:
		get := "p.Get" + w.accessorName(w.of, e.Field) + "()"
		switch k := e.Field.Type.Kind; {
		case k == model.Binary:
			return "string(" + get + ")"
		case e.Kind == model.IntExpr && k != model.I64:
			return "int64(" + get + ")"
		}
		return get
	case e.Own != nil:
		for i, a := range e.Args {
			if a.Kind == model.IntExpr && e.Own.Params[i] == model.DoubleExpr {
				args[i] = "float64(" + args[i] + ")"
			}
		}
		return w.ownFunc(e.Own) + "(" + strings.Join(args, ", ") + ")"
	case e.Func == "len":
		return "int64(len(" + args[0] + "))"
	case e.Func == "sprintf":
		return w.use("fmt") + ".Sprintf(" + strings.Join(args, ", ") + ")"
	case e.Func == "now_unix_nano":
		return w.use("time") + ".Now().UnixNano()"
	case e.Func == "equal" || e.Func == "add":
		for i, a := range e.Args {
			if a.Kind == model.IntExpr && e.Args[1-i].Kind == model.DoubleExpr {
				args[i] = "float64(" + args[i] + ")"
			}
		}
		if e.Func == "equal" {
			return "(" + args[0] + " == " + args[1] + ")"
		}
		return w.run() + ".Add(" + args[0] + ", " + args[1] + ")"
	case e.Func == "mod":
		return w.run() + ".Mod(" + args[0] + ", " + args[1] + ")"
	case e.Kind == model.TextExpr:
		return strconv.Quote(e.Text)
	case e.Kind == model.DoubleExpr:
		return "float64(" + strconv.FormatFloat(e.Double, 'g', -1, 64) + ")"
	}
	return "int64(" + strconv.FormatInt(e.Int, 10) + ")"
}

// ownFunc is the name of a function of the user's. Its package is imported by a name of ours,
// since its own need not be the end of its path.
func (w *ruleWriter) ownFunc(fn *model.RuleFunc) string {
	if fn.Package == w.pkg.importPath {
		return fn.Func
	}
	return w.useAs(fn.Package, "rules") + "." + fn.Func
}

// literalOf is a rule's value in Go.
func (w *ruleWriter) literalOf(t *model.Type, v model.RuleValue) string {
	switch t.Kind {
	case model.String, model.Binary:
		return strconv.Quote(v.Text)
	case model.Double:
		return strconv.FormatFloat(v.Double, 'g', -1, 64)
	}
	return strconv.FormatInt(v.Int, 10)
}

// among writes a switch over values, with a statement for one of them, and one for all others.
func (w *ruleWriter) among(b *strings.Builder, value string, t *model.Type, values []model.RuleValue, found, other string) {
	var list []string
	seen := map[string]bool{}
	for _, v := range values {
		if l := w.literalOf(t, v); !seen[l] {
			seen[l] = true
			list = append(list, l)
		}
	}
	fmt.Fprintf(b, "switch %s {\n", value)
	if len(list) > 0 {
		fmt.Fprintf(b, "case %s:\n", strings.Join(list, ", "))
		if found != "" {
			fmt.Fprintf(b, "%s\n", found)
		}
	}
	if other != "" {
		fmt.Fprintf(b, "default:\n%s\n", other)
	}
	b.WriteString("}\n")
}
