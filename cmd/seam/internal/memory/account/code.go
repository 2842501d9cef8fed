package account

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/prof/symbols"
)

// A namer names the functions that begin at addresses of a process.
type namer struct {
	proc     string
	mappings []Mapping
	images   map[string]*symbols.Image
	took     time.Duration // by names: nearly all of it is the first reading of images, which is put off
}

// at is "function (file)" for an address where a function begins, "" for any other.
func (n *namer) at(address uint64) string {
	began := time.Now()
	defer func() { n.took += time.Since(began) }()
	for i := range n.mappings {
		m := &n.mappings[i]
		if address < m.Low || address >= m.High {
			continue
		}
		if len(m.Perms) < 3 || m.Perms[2] != 'x' || !strings.HasPrefix(m.Path, "/") {
			return ""
		}
		image, known := n.images[m.Path]
		if !known {
			image, _ = symbols.OpenAs(n.proc+"/root"+m.Path, m.Path) // nil names nothing
			n.images[m.Path] = image
		}
		if image == nil {
			return ""
		}
		at, ok := image.Address(address - m.Low + m.Offset)
		if !ok {
			return ""
		}
		now, before := image.Frames(at), image.Frames(at-1)
		if len(now) == 0 || len(before) > 0 && before[len(before)-1].Func == now[len(now)-1].Func {
			return ""
		}
		return now[len(now)-1].Func + " of " + filepath.Base(m.Path)
	}
	return ""
}
