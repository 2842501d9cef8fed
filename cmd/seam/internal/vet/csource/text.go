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
	declared map[string]bool
	moves    [][2]string // from a variable to a place
	returned []string
	calls    []textCall
	asks     string
}

type textCall struct {
	callee string
	args   []string // variables; "" for what is none
}

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
	return m[1], params, true
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
	known := &Facts{Funcs: funcs}
	for changed := true; changed; {
		changed = false
		for _, x := range mine {
			for i, p := range x.params {
				if p == "" {
					continue
				}
				at := &funcs[x.name].Params[i].Fate
				if fate := at.or(x.fate(p, known)); fate != *at {
					*at, changed = fate, true
				}
			}
		}
	}
}

func newTextFunc(name string, params []string, body string) textFunc {
	x := textFunc{name: name, params: params, declared: map[string]bool{}}
	for _, p := range params {
		x.declared[p] = true
	}
	for _, m := range variable.FindAllStringSubmatch(body, -1) {
		switch m[1] {
		case "return", "else", "goto", "case", "sizeof":
		default:
			x.declared[m[2]] = true
		}
	}
	for _, m := range assigned.FindAllStringSubmatch(body, -1) {
		if v := operand(m[2]); v != "" {
			x.moves = append(x.moves, [2]string{v, m[1]})
		}
	}
	for _, m := range returned.FindAllStringSubmatch(body, -1) {
		x.returned = append(x.returned, operand(m[1]))
		if m := asked.FindStringSubmatch(strings.TrimSpace(m[1])); m != nil {
			x.asks = m[1]
		}
	}
	for _, m := range called.FindAllStringSubmatchIndex(body, -1) {
		end := closing(body, m[1]-1)
		if end < 0 {
			continue
		}
		c := textCall{callee: body[m[2]:m[3]]}
		for _, a := range split(body[m[1]:end]) {
			c.args = append(c.args, operand(a))
		}
		x.calls = append(x.calls, c)
	}
	return x
}

// fate is what becomes of a parameter, as far as it shows.
func (x textFunc) fate(param string, known *Facts) (f Fate) {
	holds := map[string]bool{param: true}
	for changed := true; changed; {
		changed = false
		for _, m := range x.moves {
			if !holds[m[0]] {
				continue
			}
			to := m[1]
			if v := strings.TrimLeft(to, "*"); x.declared[v] && !slices.Contains(x.params, v) {
				to = v // char *copy = s
			}
			switch {
			case lastName.FindString(to) != to || !x.declared[to]: // a member, or a variable of the file
				f.Keeps = true
			case !holds[to]:
				holds[to], changed = true, true
			}
		}
	}
	for _, v := range x.returned {
		f.Returns = f.Returns || holds[v]
	}
	for _, c := range x.calls {
		for i, a := range c.args {
			if !holds[a] || c.callee == x.name {
				continue
			}
			to := known.Fate(c.callee, i)
			f.Frees = f.Frees || to.Frees || to.Unknown && strings.Contains(strings.ToLower(c.callee), "free")
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
