package csource

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// C that doesn't compile here, as its headers are missing, still shows where it frees or keeps what
// it is given. Its text is read for that alone: what it doesn't show stays unknown.

// FromText tells what the text of a package's C shows, where cgo can't be run.
func FromText(p gotool.Package) *Facts {
	facts := &Facts{Funcs: map[string]*Func{}}
	var t texts
	for _, name := range slices.Concat(p.HFiles, p.CFiles, p.CXXFiles) {
		t.readFile(filepath.Join(p.Dir, name))
	}
	for _, name := range p.CgoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly|parser.ParseComments)
		if f == nil || err != nil {
			continue
		}
		for _, group := range f.Comments { // one of them is the preamble; others have no C
			t.read(group.Text())
		}
	}
	t.solve(facts.Funcs)
	return facts
}

// texts are functions whose text alone is known.
type texts []textFunc

// textFunc is one function: what its statements do with variables, without order.
type textFunc struct {
	name     string
	params   []string
	moves    map[string][]textMove // by the variable that is copied
	passed   map[string][]textArg  // by the variable that is passed
	returned map[string]bool
	asks     string
}

// textMove copies a variable to another one, or to a place that outlives the call.
type textMove struct {
	to    string
	keeps bool
}

// textArg is a place among the arguments of a call.
type textArg struct {
	callee string
	index  int
}

// What is longer is no C that somebody wrote by hand, and stays unknown: hostile text isn't read
// for ever.
const (
	mostParams  = 127  // of a function; no compiler has to take more
	mostArgs    = 1024 // bytes of a call's arguments
	mostOperand = 256  // bytes of a variable with casts and brackets
)

func (t *texts) readFile(name string) {
	if text, err := os.ReadFile(name); err == nil { // one that has gone shows nothing
		t.read(string(text))
	}
}

// read finds the functions in a text.
func (t *texts) read(text string) {
	text = blank(text)
	depth, start, head := 0, 0, 0 // of the body, and of what stands before it
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ';':
			if depth == 0 {
				head = i + 1
			}
		case '{':
			if depth == 0 && strings.HasSuffix(strings.TrimSpace(text[head:i]), "extern") { // "C", which is blank
				head = i + 1
				continue
			}
			if depth == 0 {
				start = i
			}
			depth++
		case '}':
			if depth == 0 {
				head = i + 1
				continue
			}
			if depth--; depth == 0 {
				if name, params, ok := heading(text[head:start]); ok {
					*t = append(*t, newTextFunc(name, params, text[start:i+1]))
				}
				head = i + 1
			}
		}
	}
}

// blank replaces comments, strings and lines for the preprocessor by spaces.
func blank(text string) string {
	b := []byte(text)
	wipe := func(from, to int) {
		for ; from < to; from++ {
			if b[from] != '\n' {
				b[from] = ' '
			}
		}
	}
	fresh := true // nothing but spaces on the line so far
	for i := 0; i < len(b); i++ {
		end := i
		switch c := b[i]; {
		case c == '\n':
			fresh = true
			continue
		case c == ' ' || c == '\t' || c == '\r':
			continue
		case c == '/' && i+1 < len(b) && b[i+1] == '*':
			end = len(b)
			if k := strings.Index(text[i+2:], "*/"); k >= 0 {
				end = i + 2 + k + 2
			}
		case c == '/' && i+1 < len(b) && b[i+1] == '/':
			end = lineEnd(text, i)
		case c == '#' && fresh:
			end = lineEnd(text, i)
			for end < len(b) && end > i && b[end-1] == '\\' {
				end = lineEnd(text, end+1)
			}
		case c == '"' || c == '\'':
			end = i + 1
			for end < len(b) && b[end] != c && b[end] != '\n' {
				if b[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(b))
		}
		fresh = false
		if end > i {
			wipe(i, end)
			i = end - 1
		}
	}
	return string(b)
}

func lineEnd(text string, from int) int {
	if from >= len(text) {
		return len(text)
	}
	if k := strings.IndexByte(text[from:], '\n'); k >= 0 {
		return from + k
	}
	return len(text)
}

var (
	lastName = regexp.MustCompile(`([A-Za-z_]\w*)\s*$`)
	paramVar = regexp.MustCompile(`([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$`)
	callback = regexp.MustCompile(`\(\s*\*\s*([A-Za-z_]\w*)`)
)

// heading takes "static int f(char *s, int n)" apart.
func heading(text string) (name string, params []string, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasSuffix(text, ")") {
		return "", nil, false
	}
	open := matching(text)
	if open < 0 {
		return "", nil, false
	}
	m := lastName.FindStringSubmatch(text[:open])
	if m == nil || slices.Contains([]string{"if", "for", "while", "switch"}, m[1]) {
		return "", nil, false
	}
	for _, p := range split(text[open+1 : len(text)-1]) {
		v := ""
		if m := callback.FindStringSubmatch(p); m != nil {
			v = m[1]
		} else if m := paramVar.FindStringSubmatch(p); m != nil {
			v = m[1]
		}
		params = append(params, v)
	}
	return m[1], params, len(params) <= mostParams
}

// matching is where the bracket opens that the last byte of a text closes, or -1.
func matching(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

var (
	called   = regexp.MustCompile(`([A-Za-z_]\w*)\s*\(`)
	assigned = regexp.MustCompile(`([\w.\[\]>*-]+)\s*=\s*([^=;{}][^;{}]*);`)
	returned = regexp.MustCompile(`\breturn\b([^;{}]*);`)
	variable = regexp.MustCompile(`([A-Za-z_]\w*)[\s*]+([A-Za-z_]\w*)\s*(?:=|;|,|\[)`)
	asked    = regexp.MustCompile(`^([A-Za-z_]\w*)\s*\(\s*[A-Za-z_][^()]*\)$`)
	castOf   = regexp.MustCompile(`^\(\s*(?:const\s+|struct\s+|unsigned\s+)*[A-Za-z_]\w*[\s*]*\)`)
)

// operand is a variable without casts and brackets, or "".
func operand(text string) string {
	if len(text) > mostOperand {
		return ""
	}
	for {
		text = strings.TrimSpace(text)
		if cast := castOf.FindString(text); cast != "" && len(cast) < len(text) {
			text = text[len(cast):]
		} else if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") && matching(text) == 0 {
			text = text[1 : len(text)-1]
		} else {
			break
		}
	}
	if m := lastName.FindString(text); m == text {
		return text
	}
	return ""
}

// solve notes what functions do with their parameters, also by way of each other.
func (t texts) solve(funcs map[string]*Func) {
	var mine []textFunc
	for _, x := range t {
		f := funcs[x.name]
		if f == nil {
			f = &Func{Name: x.name}
			funcs[x.name] = f
		}
		if f.Defined {
			continue // another file has one of that name, which was compiled
		}
		for len(f.Params) < len(x.params) {
			f.Params = append(f.Params, Param{})
		}
		f.Asks = x.asks
		mine = append(mine, x)
	}
	callers := map[string][]int{}
	for n, x := range mine {
		for _, args := range x.passed {
			for _, a := range args {
				callers[a.callee] = append(callers[a.callee], n)
			}
		}
	}
	known := &Facts{Funcs: funcs}
	waits := make([]bool, len(mine))
	var work []int
	put := func(n int) {
		if !waits[n] {
			waits[n], work = true, append(work, n)
		}
	}
	for n := range mine {
		put(n)
	}
	for len(work) > 0 {
		n := work[0]
		waits[n], work = false, work[1:]
		x, changed := mine[n], false
		for i, p := range x.params {
			if p == "" {
				continue
			}
			at := &funcs[x.name].Params[i].Fate
			if fate := at.or(x.fate(p, known)); fate != *at {
				*at, changed = fate, true
			}
		}
		if changed {
			for _, n := range callers[x.name] {
				put(n)
			}
		}
	}
}

func newTextFunc(name string, params []string, body string) textFunc {
	x := textFunc{name: name, params: params, moves: map[string][]textMove{}, passed: map[string][]textArg{}, returned: map[string]bool{}}
	declared := map[string]bool{}
	for _, m := range variable.FindAllStringSubmatch(body, -1) {
		switch m[1] {
		case "return", "else", "goto", "case", "sizeof":
		default:
			declared[m[2]] = true
		}
	}
	for _, p := range params {
		delete(declared, p)
	}
	for _, m := range assigned.FindAllStringSubmatch(body, -1) {
		v, to := operand(m[2]), m[1]
		if v == "" {
			continue
		}
		if w := strings.TrimLeft(to, "*"); declared[w] {
			to = w // char *copy = s
		}
		// Else it is a member, or a variable of the file.
		keeps := !declared[to] && !slices.Contains(params, to)
		x.moves[v] = append(x.moves[v], textMove{to, keeps})
	}
	for _, m := range returned.FindAllStringSubmatch(body, -1) {
		x.returned[operand(m[1])] = true
		if m := asked.FindStringSubmatch(strings.TrimSpace(m[1])); m != nil {
			x.asks = m[1]
		}
	}
	for _, m := range called.FindAllStringSubmatchIndex(body, -1) {
		callee, from := body[m[2]:m[3]], m[1]
		end := closing(body[:min(len(body), from+mostArgs)], from-1)
		if end < 0 || callee == name {
			continue
		}
		for i, a := range split(body[from:end]) {
			if v := operand(a); v != "" {
				x.passed[v] = append(x.passed[v], textArg{callee, i})
			}
		}
	}
	return x
}

// fate is what becomes of a parameter, as far as it shows.
func (x textFunc) fate(param string, known *Facts) (f Fate) {
	holds, work := map[string]bool{param: true}, []string{param}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		f.Returns = f.Returns || x.returned[v]
		for _, m := range x.moves[v] {
			f.Keeps = f.Keeps || m.keeps
			if !m.keeps && !holds[m.to] {
				holds[m.to], work = true, append(work, m.to)
			}
		}
		for _, a := range x.passed[v] {
			to := known.Fate(a.callee, a.index)
			f.Frees = f.Frees || to.Frees || to.Unknown && strings.Contains(strings.ToLower(a.callee), "free")
			f.Keeps = f.Keeps || to.Keeps
		}
	}
	return f
}

// closing is where the bracket at open is closed, or -1.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
