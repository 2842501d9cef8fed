package heap

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/prof"
	"github.com/seamgo/seam/cmd/seam/internal/prof/symbols"
	gosymbols "github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
)

// A namer names the addresses of a record.
type namer struct {
	record *Record
	exe    string // the program's file: a link to it, where it has been removed
	images map[string]*symbols.Image
	goes   *gosymbols.Binary // nil where the program has none
	bias   uint64
	known  map[[2]uint64][]prof.Frame
	notes  []string
}

func newNamer(r *Record, kept string) *namer {
	n := &namer{record: r, exe: r.Exe, images: map[string]*symbols.Image{}, known: map[[2]uint64][]prof.Frame{}}
	if isFile(kept) {
		n.exe = kept
	}
	if r.GoLow > 0 && isFile(n.exe) {
		b, err := gosymbols.Open(n.exe)
		if err != nil {
			n.notes = append(n.notes, fmt.Sprintf("functions of Go have no names: %v", err))
		} else {
			n.goes, n.bias = b, r.GoLow-b.Text
		}
	}
	return n
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// stack is a site's, innermost frame first, with what was inlined.
func (n *namer) stack(s *Site) (list []prof.Frame) {
	for i, pc := range s.PCs {
		key := [2]uint64{pc, uint64(s.modules)}
		frames, known := n.known[key]
		if !known {
			if i < s.C {
				frames = n.c(pc, s.modules)
			} else {
				frames = n.goFrames(pc)
			}
			n.known[key] = frames
		}
		list = append(list, frames...)
	}
	return list
}

func (n *namer) goFrames(pc uint64) (list []prof.Frame) {
	if n.goes != nil {
		for _, f := range n.goes.Inlined(pc - n.bias) {
			list = append(list, prof.NewFrame(f.Func, f.File, f.Line))
		}
	}
	if len(list) == 0 {
		return []prof.Frame{{Func: fmt.Sprintf("[Go %#x]", pc), Kind: prof.Go}}
	}
	return list
}

// marks are functions of the unwinder's that stand in stacks for what it doesn't show.
var marks = map[string]string{"seam_truncated": "[truncated]", "seam_recursion": "[recursion]", "seam_omitted": "[left out]"}

// c names an address of C's, by the last of the modules that were known then: a library may have
// come to the place of another.
func (n *namer) c(pc uint64, modules int) (list []prof.Frame) {
	for _, m := range slices.Backward(n.record.Modules[:modules]) {
		if pc < m.Low || pc >= m.High {
			continue
		}
		file := cmp.Or(m.Path, n.exe)
		if image := n.image(file, m); image != nil {
			for _, f := range image.Frames(pc - m.Base) {
				list = append(list, prof.NewCFrame(cmp.Or(marks[f.Func], f.Func), f.File, f.Line))
			}
		}
		if len(list) == 0 {
			list = append(list, prof.NewCFrame(symbols.In(cmp.Or(m.Path, n.record.Exe)), "", 0))
		}
		return list
	}
	return []prof.Frame{prof.NewCFrame("[unknown]", "", 0)}
}

func (n *namer) image(file string, m Module) *symbols.Image {
	i, known := n.images[file]
	if !known {
		if isFile(file) { // a pipe would wait for ever
			i, _ = symbols.OpenAs(file, cmp.Or(m.Path, n.record.Exe)) // what has no names is named by its file
		}
		if i != nil && m.BuildID != "" && i.BuildID != "" && m.BuildID != i.BuildID && len(m.BuildID) == len(i.BuildID) {
			n.notes = append(n.notes, file+" is not the file that was loaded, but another build: its functions have no names")
			i = nil
		}
		n.images[file] = i
	}
	return i
}

// Where is a site in words: the function that has asked for memory, and Go's that has called it.
type Where struct {
	C      string `json:"c,omitempty"` // strdup, then the first function that isn't libc's or the C++ library's
	CFile  string `json:"c_file,omitempty"`
	Go     string `json:"go,omitempty"`
	GoFile string `json:"go_file,omitempty"` // file:line
}

func (w Where) String() string {
	var words []string
	for _, p := range [][2]string{{w.C, w.CFile}, {w.Go, w.GoFile}} {
		switch {
		case p[0] == "":
		case p[1] == "":
			words = append(words, p[0])
		default:
			words = append(words, p[0]+" ("+p[1]+")")
		}
	}
	return cmp.Or(strings.Join(words, " for "), "a stack that is not known")
}

func place(f prof.Frame) string {
	if f.File == "" {
		return ""
	}
	if f.Line == 0 {
		return filepath.Base(f.File)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
}

// where is told from a site's frames.
func where(s *Site, frames []prof.Frame) (w Where) {
	inC := 0
	for inC < len(frames) && (frames[inC].Kind == prof.C || frames[inC].Kind == prof.CXX || frames[inC].Kind == prof.Rust) {
		inC++
	}
	for _, f := range frames[:inC] {
		w.C = f.Func
		if !ofLibrary(f.Func) {
			w.CFile = place(f)
			break
		}
	}
	for _, f := range frames[inC:] {
		if f.Kind == prof.Go && !strings.HasPrefix(f.Func, "runtime.") {
			w.Go, w.GoFile = f.Func, place(f)
			break
		}
	}
	switch {
	case inC > 0 && ofLibrary(frames[0].Func) && w.C != frames[0].Func:
		w.C = strings.TrimPrefix(frames[0].Func, "__GI___") + " in " + w.C
	case inC == 0 && len(frames) > 0: // cgo's wrapper alone
		w.C = frames[0].Func
		for _, f := range frames {
			for _, name := range []string{"CString", "CBytes", "_Cmalloc"} {
				if strings.HasSuffix(f.Func, "._Cfunc_"+name) || w.C == frames[0].Func && strings.HasSuffix(f.Func, "_Cfunc_"+name) {
					w.C = "C." + strings.TrimPrefix(name, "_C")
				}
			}
		}
	}
	return w
}

// ofLibrary recognises functions that allocate for their callers.
func ofLibrary(name string) bool {
	switch strings.TrimLeft(strings.TrimPrefix(name, "__GI_"), "_") {
	case "strdup", "strndup", "calloc", "malloc", "realloc", "reallocarray", "asprintf", "vasprintf", "getline", "getdelim", "operator new", "operator new[]":
		return true
	}
	return strings.HasPrefix(name, "std::") || strings.HasPrefix(name, "__gnu_cxx::") || strings.HasPrefix(name, "operator new")
}
