package bundle

import (
	"embed"
	"regexp"

	"github.com/seamgo/seam"
	"github.com/seamgo/seam/internal/csys"
)

var include = regexp.MustCompile(`(?m)^#include "([\w.]+)"\n`)

// C puts headers of the library in the place of the lines that include them, and so on with what those include. What it
// has not stays included.
func C(src []byte) []byte {
	return include.ReplaceAllFunc(src, func(line []byte) []byte {
		name := string(include.FindSubmatch(line)[1])
		for dir, files := range map[string]embed.FS{"": csys.Files, "weld/": seam.Weld} {
			if text, err := files.ReadFile(dir + name); err == nil {
				return C(text)
			}
		}
		return line
	})
}
