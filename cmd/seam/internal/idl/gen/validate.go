package gen

import (
	"fmt"
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
	w := &ruleWriter{file: f}
	var body strings.Builder
	for _, x := range s.Fields {
		field := f.fieldName(s, x)
		if field == "Validate" || f.opt.Kitex && field == "IsValid" {
			panic(unsupported(fmt.Sprintf("%s:%d:%d: field %s of %s has the name of the method that --validate writes: rename it, or leave the option out", s.Program.Path, x.Pos.Line, x.Pos.Col, x.Name, s.Name)))
		}
		w.field(&body, "p."+field, strconv.Quote(s.Name+"."+x.Name), x)
	}
	if body.Len() > 0 {
		f.Block("if p == nil", "return nil")
		f.statement(body.String())
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
	depth int // of loops
}

func (w *ruleWriter) run() string { return w.use(validatePath) }

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
	literal := w.literalOf(t, r.Values[0])
	text := value
	if t.Kind == model.Binary {
		text = "string(" + value + ")"
	}
	condition := ""
	switch r.Name {
	case "in":
		w.among(b, text, t, r.Values, "", fail)
		return
	case "not_in":
		w.among(b, text, t, r.Values, fail, "")
		return
	case "const":
		switch condition = text + " != " + literal; {
		case t.Kind == model.Bool && r.Values[0].Int == 1:
			condition = "!" + value
		case t.Kind == model.Bool:
			condition = value
		}
	case "lt", "le", "gt", "ge": // so that a double which is no number breaks them
		condition = "!(" + value + " " + map[string]string{"lt": "<", "le": "<=", "gt": ">", "ge": ">="}[r.Name] + " " + literal + ")"
	case "min_size":
		condition = fmt.Sprintf("len(%s) < %d", value, r.Values[0].Int)
	case "max_size":
		condition = fmt.Sprintf("len(%s) > %d", value, r.Values[0].Int)
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
