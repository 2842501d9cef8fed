// Package macros keeps the macros of a user's C text away from a header that
// comes behind it.
package macros

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	comment    = regexp.MustCompile(`(?s)/\*.*?\*/`)
	text       = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`)
	directive  = regexp.MustCompile(`(?m)^[ \t]*#(?:[^\n\\]|\\.|\\\n)*$`)
	identifier = regexp.MustCompile(`\b[A-Za-z_]\w*`)
)

// keywords are left as they are too: cgo's own text would not stand a macro
// that changes one.
var keywords = strings.Fields(`auto break case char const continue default do double
	else enum extern float for goto if int long register return short signed sizeof
	static struct switch typedef union unsigned void volatile while`)

// Shield returns a header in whose text no macro holds that was defined before
// it, and behind which all hold again: a user may define any word (#define n 3).
// Names that begin with _ or seam are left as they are, and what macros of the
// header expand to behind it is not covered.
func Shield(header []byte) []byte {
	plain := comment.ReplaceAll(header, []byte(" "))
	plain = directive.ReplaceAll(plain, nil)
	plain = text.ReplaceAll(plain, nil)
	var words []string
	for _, m := range identifier.FindAll(plain, -1) {
		if word := string(m); word[0] != '_' && !strings.HasPrefix(strings.ToLower(word), "seam") && !slices.Contains(keywords, word) {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	var b bytes.Buffer
	b.WriteString("#pragma GCC system_header\n")
	for _, w := range words {
		fmt.Fprintf(&b, "#pragma push_macro(%q)\n#undef %s\n", w, w)
	}
	b.Write(header)
	b.WriteByte('\n')
	for _, w := range words {
		fmt.Fprintf(&b, "#pragma pop_macro(%q)\n", w)
	}
	return b.Bytes()
}

// ShieldAll shields embedded headers and returns them by their names alone.
func ShieldAll(headers ...embed.FS) map[string][]byte {
	files := map[string][]byte{}
	for _, tree := range headers {
		err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := tree.ReadFile(name)
			files[path.Base(name)] = Shield(text)
			return err
		})
		if err != nil {
			panic(err) // they are embedded
		}
	}
	return files
}
