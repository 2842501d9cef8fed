package rewrite

import (
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
)

// cannotReuse says why strings of the package can't have blocks that are used again; "" if they can.
func cannotReuse(p *cgofile.Package) string {
	if !p.Gotypes.CString {
		return "the package doesn't use C.CString and C.free, or cgo wrote them in a form that this version of seam doesn't know"
	}
	if s, err := p.Strings(); err == nil && s.Freed == 0 {
		return "no function of the package both makes a string by C.CString and frees it, in a variable that nothing else is done to"
	}
	return ""
}

// keepBlocks has C hold the blocks.
func (l *Leaves) keepBlocks(p *cgofile.Package) error {
	if selected(p, cgofile.CString) {
		p.Export().Insert("#include \"" + leaf.ReuseName + "\"\n")
	}
	return nil
}

// reuseStrings has functions that make and free a string take a block that is kept, and keep it again.
// Strings that are too long, and those for which there is none, come from malloc as ever.
func (l *Leaves) reuseStrings(p *cgofile.Package) error {
	if !selected(p, cgofile.CString) {
		return nil
	}
	callers, err := p.Callers()
	if err != nil {
		return err
	}
	for _, c := range callers {
		c.ReuseStrings("_seam_CString", "_seam_Free")
	}
	p.Gotypes.Append(importC("_seam_blocks_v1") + `
func _seam_CString(s string) (*_Ctype_char, uintptr) {
	p, size, place := _seam_Take(unsafe.Pointer(&__seam_blocks_v1), len(s))
	if place == 0 {
		return _Cfunc_CString(s), 0
	}
	if p == nil {
		p = _cgo_cmalloc(uint64(size))
	}
	b := (*[512]byte)(p)[:len(s)+1]
	copy(b, s)
	b[len(s)] = 0
	return (*_Ctype_char)(p), place
}

func _seam_Free(p unsafe.Pointer, place uintptr) {
	if place == 0 || !_seam_Give(unsafe.Pointer(&__seam_blocks_v1), p, place) {
		_Cfunc_free(p)
	}
}
`)
	return nil
}
