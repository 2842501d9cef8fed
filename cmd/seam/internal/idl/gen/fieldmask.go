package gen

import (
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// fieldMaskPath is the package of the masks that structs may have.
const fieldMaskPath = "github.com/seamgo/seam/thrift/fieldmask"

// masked reports whether a struct may have a field mask: those of users do, if they ask for it.
func (f *file) masked(s *model.Struct) bool { return f.opt.FieldMask && !ofFunction(s) }

// fieldMaskField writes the field of a struct that holds its mask.
func (f *file) fieldMaskField(s *model.Struct, name string) {
	if f.masked(s) {
		if len(s.Fields) > 0 || f.opt.Unknown {
			f.P()
		}
		f.P("_fieldmask *", f.use(fieldMaskPath), ".Mask[", name, "]")
	}
}

// fieldMaskMethods writes the methods that set and give the mask, by the names that thriftgo's
// users know.
func (f *file) fieldMaskMethods(s *model.Struct, name string) {
	if !f.masked(s) {
		return
	}
	mask := "*" + f.use(fieldMaskPath) + ".Mask[" + name + "]"
	f.Apart("// Set_FieldMask says which fields are written, in this struct and below, whatever it")
	f.P("// is a part of; nil is all. Decoding clears it.")
	f.Block("func (p *"+name+") Set_FieldMask(fm "+mask+")", "p._fieldmask = fm")
	f.Apart("// Get_FieldMask is what Set_FieldMask has set.")
	f.P("func (p *", name, ") Get_FieldMask() ", mask, " {")
	f.Block("if p == nil", "return nil")
	f.P("return p._fieldmask")
	f.P("}")
}

// appendMasked begins a method that appends a struct: with a mask it is written without one, and
// then shortened.
func (f *file) appendMasked(s *model.Struct, p protocol, deep bool) {
	if !f.masked(s) {
		return
	}
	call := "q.ThriftAppend" + string(p) + "(b)"
	if deep {
		call = "q.append" + string(p) + "(b, depth)"
	}
	f.P("if m := p._fieldmask; m != nil {")
	f.P("q := *p")
	f.P("q._fieldmask = nil")
	f.P("return m.Keep", p, "(", call, ", len(b))")
	f.P("}")
}

// sizeMasked begins BLength: the size is known when the struct was written.
func (f *file) sizeMasked(s *model.Struct) {
	if f.masked(s) {
		f.Block("if p._fieldmask != nil", "return len(p.ThriftAppendBinary(nil))")
	}
}

// refuseMasks is the error of options that don't go with field masks.
func (o *Options) refuseMasks() error {
	if o.FieldMask && o.Apache {
		return unsupported("the method Write that --apache writes knows nothing of field masks: leave one of --apache and --field-mask out")
	}
	return nil
}
