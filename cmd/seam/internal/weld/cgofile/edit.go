package cgofile

import "strings"

// The methods of this file note changes; Bytes and Save carry them out. A stub
// or wrapper with a Reason must be left alone.

// InsertDecl puts declarations before the stub.
func (g *Gotypes) InsertDecl(s *Stub, text string) { g.edits.Replace(s.docComment, s.docComment, text) }

// ReplaceCall puts other statements in the place of the call of C. In a stub
// with errno they have to declare errno, an int32.
func (g *Gotypes) ReplaceCall(s *Stub, text string) { g.edits.Replace(s.call, s.callEnd, text) }

// Enclose puts statements before and after the call of C. What follows it in
// the stub (errno made an error, a check for nil) comes later still.
func (g *Gotypes) Enclose(s *Stub, before, after string) {
	g.edits.Replace(s.call, s.call, before)
	g.edits.Replace(s.callEnd, s.callEnd, after)
}

// DropEscape takes away the uses that make the parameters escape.
func (g *Gotypes) DropEscape(s *Stub) {
	if s.escape != 0 {
		g.edits.Replace(s.escape, s.escapeEnd, "")
	}
}

// EnterGoString puts declarations before C.GoString and statements, which know its argument as p, at
// its beginning.
func (g *Gotypes) EnterGoString(declarations, statements string) {
	g.edits.Replace(g.view, g.view, declarations)
	g.edits.Replace(g.viewIn, g.viewIn, statements)
}

// Append puts declarations at the end of the file.
func (g *Gotypes) Append(text string) { g.edits.Replace(len(g.Src), len(g.Src), text) }

// ImportCgo returns the name under which the file knows runtime/cgo, after
// adding an import if it has none.
func (g *Gotypes) ImportCgo() string {
	if g.CgoPackage == "" {
		g.CgoPackage = "_cgopackage"
		g.edits.Replace(g.imports, g.imports, "\n\nimport _cgopackage \"runtime/cgo\"")
	}
	return g.CgoPackage
}

// Insert puts C where all wrappers of the file come after it and the user's own
// text before it.
func (w *Wrappers) Insert(text string) { w.edits.Replace(w.Start, w.Start, text) }

// InsertAt puts C at an offset, such as [Export.Entered].
func (w *Wrappers) InsertAt(offset int, text string) { w.edits.Replace(offset, offset, text) }

// Outer gives the wrapper another name and makes it static, and puts text after
// it, which has to define a function of the old name.
func (w *Wrappers) Outer(x *Wrapper, inner, text string) {
	w.edits.Replace(x.result, x.result, "static ")
	w.edits.Replace(x.nameStart, x.nameEnd, inner)
	w.edits.Replace(x.end, x.end, text)
}

// DropTopOfStack takes away what follows the goroutine's stack when a callback
// moved it.
func (w *Wrappers) DropTopOfStack(x *Wrapper) {
	for _, part := range x.topOfStack {
		w.edits.Replace(part[0], part[1], "")
	}
}

// Copy is the wrapper once more, static and under another name, for arguments that don't
// move: without what follows a moved stack.
func (w *Wrappers) Copy(x *Wrapper, name string) string {
	var b strings.Builder
	at := x.nameEnd
	b.WriteString("CGO_NO_SANITIZE_THREAD\nstatic ")
	b.Write(w.Src[x.result:x.nameStart])
	b.WriteString(name)
	for _, part := range x.topOfStack {
		b.Write(w.Src[at:part[0]])
		at = part[1]
	}
	b.Write(w.Src[at:x.end])
	return b.String()
}

// Arguments is the type of the struct that holds the wrapper's arguments and its result, under
// a name.
func (w *Wrappers) Arguments(x *Wrapper, name string) string {
	text := string(w.Src[x.bodyStart:x.end])
	_, text, _ = strings.Cut(text, "\tstruct {\n")
	fields, rest, _ := strings.Cut(text, "\t} ")
	attribute, _, _ := strings.Cut(rest, " *_cgo_a")
	return "struct " + name + " {\n" + fields + "} " + attribute + ";\n"
}
