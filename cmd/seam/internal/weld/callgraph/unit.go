package callgraph

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// unit is one translation unit: what the compiler said about one file.
type unit struct {
	Funcs []*function `json:"funcs"`

	// Aliases are other names of functions; of a function that is chosen when the
	// program starts (an ifunc) the name stands for [indirectCall].
	Aliases map[string]string `json:"aliases,omitempty"`

	// Weak are names for which the linker may take another file's function, and Names
	// says that inline assembly defines some, unseen by the compiler.
	Weak  []string `json:"weak,omitempty"`
	Names bool     `json:"names,omitempty"`

	// Pointers says where addresses of functions may get to, and Data which stand in
	// variables from the start; Pointers is nil if that isn't known.
	Pointers *pointers `json:"pointers,omitempty"`
	Data     []string  `json:"data,omitempty"`
}

// function is one function of a unit. Static ones have names like "file.c:name".
type function struct {
	Name     string   `json:"name"`
	Stack    int64    `json:"stack"`              // bytes
	Dynamic  bool     `json:"dynamic,omitempty"`  // and more, known at run time only
	Calls    []string `json:"calls,omitempty"`    // without repetition, in the order of the graph
	Assembly string   `json:"assembly,omitempty"` // the first instruction of inline assembly that matters
	Doomed   []string `json:"doomed,omitempty"`   // symbols that it calls only where the program ends afterwards
	Ends     bool     `json:"ends,omitempty"`     // it always ends the program
	Through  []string `json:"through,omitempty"`  // where it calls through pointers: file:line:column
}

// indirectCall is gcc's name for whatever a pointer points to.
const indirectCall = "__indirect_call"

// symbolOf is the name that the linker would know, without the file of a static
// function and the mark of a name that was given in the source.
func symbolOf(name string) string {
	return name[strings.LastIndexByte(name, ':')+1:]
}

var stackUse = regexp.MustCompile(`\\n([0-9]{1,18}) bytes \((static|dynamic|dynamic,bounded)\)`)

// parseGraph reads a call graph that gcc wrote (-fcallgraph-info=su), in the
// VCG language. It knows the lines that gcc writes, not the language.
func parseGraph(src []byte) (*unit, error) {
	u := &unit{}
	byName := map[string]*function{}
	type edge struct{ from, to string }
	seen := map[edge]bool{}
	open := false
	number := 0
	for line := range strings.Lines(string(src)) {
		number++
		wrong := func(what string) error { return fmt.Errorf("call graph, line %d: %s", number, what) }
		text := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		switch {
		case text == "":
		case strings.HasPrefix(text, "graph: {"):
			if open {
				return nil, wrong("a graph in a graph")
			}
			open = true
		case !open:
			return nil, wrong("not in a graph")
		case text == "}":
			open = false
		case strings.HasPrefix(text, "node: {"):
			name, rest, ok := attribute(text, "title")
			if !ok {
				return nil, wrong("a node without a name")
			}
			if strings.HasSuffix(rest, "shape : ellipse }") || byName[name] != nil {
				continue // called, but defined elsewhere
			}
			f := &function{Name: name}
			if m := stackUse.FindStringSubmatch(rest); m != nil {
				f.Stack, _ = strconv.ParseInt(m[1], 10, 64) // 18 digits fit
				f.Dynamic = m[2] == "dynamic"
			} else {
				f.Dynamic = true
			}
			byName[name] = f
			u.Funcs = append(u.Funcs, f)
		case strings.HasPrefix(text, "edge: {"):
			from, rest, ok := attribute(text, "sourcename")
			if !ok {
				return nil, wrong("an edge from nowhere")
			}
			to, _, ok := attribute(rest, "targetname")
			if !ok {
				return nil, wrong("an edge to nowhere")
			}
			f := byName[from]
			if f == nil {
				return nil, wrong("an edge from a function that the graph doesn't have")
			}
			if to == indirectCall {
				_, at, _ := strings.Cut(rest, `label: "`)
				at, _, _ = strings.Cut(at, `"`)
				f.Through = append(f.Through, at)
			}
			if e := (edge{from, to}); !seen[e] {
				seen[e] = true
				f.Calls = append(f.Calls, to)
			}
		default:
			return nil, wrong("unknown text")
		}
	}
	if open {
		return nil, fmt.Errorf("call graph, line %d: it ends in the middle", number)
	}
	return u, nil
}

// attribute reads `name: "value"` and returns what follows it. A name that
// the source gave to a symbol (by an asm label) has a star in front.
func attribute(text, name string) (value, rest string, ok bool) {
	_, text, ok = strings.Cut(text, name+`: "`)
	if !ok {
		return "", "", false
	}
	value, rest, ok = strings.Cut(text, `"`)
	value = strings.TrimPrefix(value, "*")
	return value, rest, ok && value != ""
}
