package cross

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// Emulator is what runs the target's programs here, with its arguments: none where this machine
// does so itself, and none where the command line or the environment (GOFLAGS) says -exec.
func (t Target) Emulator(e *gotool.Env, c *gotool.Command) ([]string, error) {
	if _, given := c.Flag("exec"); given {
		return nil, nil
	}
	return here(e).emulator(t, os.Getenv, isFolder)
}

// qemu are the emulators of qemu-user, where their names aren't those of Debian's compilers.
var qemu = map[string]string{"386": "i386", "ppc64le": "ppc64le"}

func (f finder) emulator(t Target, getenv func(string) string, there func(folder string) bool) ([]string, error) {
	if f.host == t.String() || f.host == "linux/amd64" && t.GOARCH == "386" {
		return nil, nil
	}
	_, arch, _ := strings.Cut(f.host, "/")
	switch own := arch == t.GOARCH || arch == "amd64" && t.GOARCH == "386"; {
	case t.GOOS == "windows" && own:
		for _, name := range []string{"wine64", "wine"} {
			if _, ok := f.look(name); ok {
				return []string{name}, nil
			}
		}
		return nil, fmt.Errorf("this machine can't run programs for %s: wine isn't there. Get it (Debian: apt-get install wine), or use go build or go test -c, and run that on the target", t)
	case t.GOOS != "linux":
		return nil, fmt.Errorf("this machine can't run programs for %s: use go build or go test -c, and run that on the target", t)
	}
	m := machines[t.GOARCH]
	name := qemu[t.GOARCH]
	if name == "" {
		name = m.Debian
	}
	name = "qemu-" + name
	if _, ok := f.look(name); !ok {
		if _, ok := f.look(name + "-static"); !ok {
			return nil, fmt.Errorf("this machine can't run programs for %s: %s isn't there. Get it (Debian: apt-get install qemu-user), or use go build or go test -c, and run that on the target", t, name)
		}
		name += "-static"
	}
	if t.Static || getenv("QEMU_LD_PREFIX") != "" {
		return []string{name}, nil
	}
	// Where Debian's cross compilers have the target's C library and dynamic linker.
	root := "/usr/" + m.Debian + "-linux-gnu" + t.abi()
	if !there(filepath.Join(root, "lib")) {
		return nil, fmt.Errorf("this machine has no shared libraries of %s for the program to load (none in %s): use --static, or set QEMU_LD_PREFIX to a folder with the target's lib", t, root)
	}
	return []string{name, "-L", root}, nil
}
