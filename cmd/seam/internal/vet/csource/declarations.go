package csource

import (
	"bufio"
	"io"
	"regexp"
	"strings"
)

// declared is a line of gcc's -aux-info: the place, and the prototype.
var declared = regexp.MustCompile(`^/\* .*?:[0-9]+:[A-Z]+ \*/ (?:extern |static )?(.*?)([A-Za-z_$][\w$]*) \((.*?)\);`)

// readDeclarations reads what gcc writes of all functions that a file sees declared.
func readDeclarations(r io.Reader, funcs map[string]*Func) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 16<<20)
	for lines.Scan() {
		m := declared.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		f := funcs[m[2]]
		if f == nil {
			f = &Func{Name: m[2]}
			funcs[m[2]] = f
		}
		f.Result = strings.TrimSpace(m[1])
		if m[3] == "void" {
			continue
		}
		for i, p := range split(m[3]) {
			if i == len(f.Params) {
				f.Params = append(f.Params, Param{})
			}
			f.Params[i].Type = p
			pointee, _, pointer := strings.Cut(p, "*")
			f.Params[i].Const = pointer && strings.Contains(" "+pointee, " const ") && strings.Count(p, "*") == 1
		}
	}
	return lines.Err()
}
