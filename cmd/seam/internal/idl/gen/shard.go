package gen

import "github.com/seamgo/seam/cmd/seam/internal/idl/model"

// shardKey writes the method by which a balancer gets the argument that seam.shard names.
// Numbers are text as well, so that there is one kind of key.
func (f *file) shardKey(s *model.Service, fn *function) {
	if fn.Shard == nil {
		return
	}
	for i, x := range fn.Args.Fields {
		if x != fn.Shard {
			continue
		}
		x = fn.args.Fields[i]
		key := "p." + f.fieldName(fn.args, x)
		f.Apart("// ShardKey is what calls of ", s.Name, ".", fn.Name, " are distributed by: ", x.Name, ".")
		head := "func (p *" + f.structName(fn.args) + ") ShardKey() string {"
		switch {
		case pointerField(x):
			f.P(head)
			f.Block("if "+key+" == nil", `return ""`)
			f.P("return ", f.asKey("*"+key, x.Type.Kind))
			f.P("}")
		default:
			f.short(head, "return "+f.asKey(key, x.Type.Kind))
		}
	}
}

// asKey is the text of a value.
func (f *file) asKey(value string, kind model.Kind) string {
	switch kind {
	case model.String:
		return value
	case model.Binary:
		return "string(" + value + ")"
	}
	return f.use("strconv") + ".FormatInt(int64(" + value + "), 10)"
}

// mayRepeat writes the method by which a thrift.Retrier knows that calls may be carried out twice.
func (f *file) mayRepeat(s *model.Service, fn *function) {
	if !fn.Idempotent || f.opt.Kitex { // whose clients repeat calls by policies of theirs
		return
	}
	f.Apart("// MayRepeat says that calls of ", s.Name, ".", fn.Name, " may be carried out twice (seam.idempotent).")
	f.short("func (p *"+f.structName(fn.args)+") MayRepeat() bool {", "return true")
}
