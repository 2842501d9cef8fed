package cgofile

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/textedit"
)

// Wrappers is a C file that cgo generated: a *.cgo2.c or _cgo_export.c.
type Wrappers struct {
	Name string // of the file
	Src  []byte
	List []Wrapper

	// Start is where C of ours can be put: after the user's own text and before
	// the first wrapper. 0 if the file has no such place.
	Start int

	edits textedit.Edits
}

// Wrapper is the C function that a stub calls: it takes the arguments out of
// their memory, calls the function and puts the result there.
type Wrapper struct {
	Symbol string
	Errno  bool // it returns errno
	Fields []Field
	Reason string // why its form is not known; the rest is then meaningless

	start, result, nameStart, nameEnd, bodyStart, end int
	topOfStack                                        [][2]int // the parts that follow a moved stack
}

// Field is a member of the struct that holds the arguments and the result.
type Field struct {
	Type, Name string // Name is p0, p1 …, r for the result, and empty for padding
	Text       string
}

// Bytes is the file with what was rewritten.
func (w *Wrappers) Bytes() []byte { return w.edits.Apply(w.Src) }

// Text is the wrapper as cgo wrote it.
func (w *Wrappers) Text(x *Wrapper) string { return string(w.Src[x.start:x.end]) }

// place is the last line of what cgo puts between the user's text and its own
// functions.
var place = []byte("\n#define _cgo_msan_write(addr, sz)\n")

var (
	wrapperHead = regexp.MustCompile(`(?m)^CGO_NO_SANITIZE_THREAD\n(int|void)\s(_cgo_[0-9a-f]+_(C2?)func_\w+)\(void \*v\)\s\{\n`)
	fieldShape  = regexp.MustCompile(`^\t\t(.*?)([\w]+)(\[[0-9]+\])?;$`)
)

const (
	stackTop   = "\tchar *_cgo_stktop = _cgo_topofstack();\n"
	stackMoved = "\t_cgo_a = (void*)((char*)_cgo_a + (_cgo_topofstack() - _cgo_stktop));\n"
)

const unknownForm = "its C wrapper has a form that this version of seam doesn't know"

// ParseWrappers reads a C file of cgo's. It never fails: wrappers that it
// doesn't find or know can't be rewritten.
func ParseWrappers(name string, src []byte) *Wrappers {
	w := &Wrappers{Name: name, Src: src}
	// The user's text comes first and may hold anything.
	at := bytes.LastIndex(src, place)
	if at < 0 {
		return w
	}
	w.Start = at + len(place)
	heads := wrapperHead.FindAllSubmatchIndex(src[w.Start:], -1)
	for k, m := range heads {
		for i := range m {
			m[i] += w.Start
		}
		x := Wrapper{
			Symbol: string(src[m[4]:m[5]]), Errno: string(src[m[6]:m[7]]) == "C2",
			start: m[0], result: m[2], nameStart: m[4], nameEnd: m[5], bodyStart: m[1],
		}
		if (string(src[m[2]:m[3]]) == "int") != x.Errno {
			x.Reason = "its C wrapper returns something that cgo doesn't write"
		}
		end := bytes.Index(src[x.bodyStart-1:], []byte("\n}\n"))
		if end < 0 {
			continue
		}
		x.end = x.bodyStart - 1 + end + len("\n}\n")
		if k+1 < len(heads) && x.end > w.Start+heads[k+1][0] {
			x.Reason = unknownForm // another one begins before it ends
		}
		if x.Reason == "" {
			x.Reason = w.read(&x)
		}
		w.List = append(w.List, x)
	}
	return w
}

// read looks through the body of a wrapper; it returns what it doesn't know.
func (w *Wrappers) read(x *Wrapper) string {
	at := x.bodyStart
	inStruct, released, acquired := false, false, false
	for at < x.end {
		line := w.Src[at:x.end]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		text := string(line)
		switch {
		case text == "\tstruct {\n":
			inStruct = true
		case strings.HasPrefix(text, "\t} __attribute__((__packed__"):
			inStruct = false
		case inStruct:
			m := fieldShape.FindStringSubmatch(strings.TrimSuffix(text, "\n"))
			if m == nil {
				return unknownForm
			}
			f := Field{Type: strings.TrimSpace(m[1]), Name: m[2], Text: strings.TrimSpace(text)}
			if strings.HasPrefix(f.Name, "__pad") || f.Name == "unused" {
				f.Name = ""
			}
			x.Fields = append(x.Fields, f)
		case text == stackTop, text == stackMoved:
			x.topOfStack = append(x.topOfStack, [2]int{at, at + len(text)})
		case strings.Contains(text, "_cgo_topofstack"):
			return unknownForm
		case text == "\t_cgo_tsan_acquire();\n":
			acquired = true
		case text == "\t_cgo_tsan_release();\n":
			released = true
		}
		at += len(line)
	}
	if len(x.topOfStack) != 0 && len(x.topOfStack) != 2 || !acquired || !released {
		return unknownForm
	}
	return ""
}

// Export is a Go function that C can call.
type Export struct {
	Name string // in C

	// Entered is the place in _cgo_export.c after the runtime was found ready
	// and before Go is called, and Left that after Go has returned; 0 if it isn't found.
	Entered, Left int
}

var exportShape = regexp.MustCompile(`(?m)^CGO_NO_SANITIZE_THREAD\n.*?\b(\w+)\([^\n]*\)\n\{\n\t(?:SIZE_TYPE|size_t) _cgo_ctxt = _cgo_wait_runtime_init_done\(\);\n`)

// ParseExports finds the exported functions in _cgo_export.c.
func ParseExports(src []byte) []Export {
	at := bytes.LastIndex(src, place)
	if at < 0 {
		return nil
	}
	var list []Export
	for _, m := range exportShape.FindAllSubmatchIndex(src[at:], -1) {
		e := Export{Name: string(src[at+m[2] : at+m[3]]), Entered: at + m[1]}
		if left := bytes.Index(src[e.Entered:], []byte("\t_cgo_release_context(_cgo_ctxt);\n")); left >= 0 {
			e.Left = e.Entered + left
		}
		list = append(list, e)
	}
	return list
}
