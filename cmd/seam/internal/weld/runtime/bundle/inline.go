package bundle

import (
	"embed"
	"regexp"

	"github.com/seamgo/seam"
	"github.com/seamgo/seam/internal/csys"
)

var include = regexp.MustCompile(`(?m)^#include "([\w.]+)"\n`)

// C puts headers of the library, and those below c of others, in the place of the lines that include them, and so on with
// what those include. What isn't found stays included.
func C(src []byte, others ...embed.FS) []byte {
	return include.ReplaceAllFunc(src, func(line []byte) []byte {
		name := string(include.FindSubmatch(line)[1])
		for _, files := range append(others, csys.Files, seam.Weld) {
			for _, dir := range []string{"", "c/", "weld/"} {
				if text, err := files.ReadFile(dir + name); err == nil {
					return C(text, others...)
				}
			}
		}
		return line
	})
}
