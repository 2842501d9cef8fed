//go:build linux

package abi

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// want is the layout that layout.go states, repeated here because the file is
// not compiled for every system that runs this test.
var want = map[string]int64{
	"runtime.g.stack":       0,
	"runtime.stack.lo":      0,
	"runtime.stack.hi":      8,
	"runtime.g.m":           48,
	"runtime.g.sched":       56,
	"runtime.gobuf.sp":      0,
	"runtime.gobuf.pc":      8,
	"runtime.gobuf.g":       16,
	"runtime.gobuf.bp":      40,
	"runtime.g.lockedm":     208,
	"runtime.m.g0":          0,
	"runtime.m.curg":        184,
	"runtime.g.syscallsp":   104,
	"runtime.g.syscallpc":   112,
	"runtime.g.syscallbp":   120,
	"runtime.m.procid":      64,
	"runtime.g.goid":        152,
	"runtime.g.stackguard0": 16,
	"runtime.p.id":          0,
	"runtime.p.schedtick":   16,
	"runtime.p.syscalltick": 20,

	"runtime.g.atomicstatus": 144,
}

// moved are the offsets of fields that are elsewhere in Go 1.25.
func moved(version string) map[string]int64 {
	if strings.HasPrefix(version, "go1.25") {
		return map[string]int64{"runtime.g.startpc": 296, "runtime.g.cgoCtxt": 320, "runtime.m.ncgo": 320, "runtime.m.p": 200, "runtime.m.alllink": 344}
	}
	return map[string]int64{"runtime.g.startpc": 304, "runtime.g.cgoCtxt": 328, "runtime.m.ncgo": 328, "runtime.m.p": 208, "runtime.m.alllink": 352}
}

// TestDWARF builds a program with every admitted toolchain for both
// architectures and compares the layout in its debug information with ours.
func TestDWARF(t *testing.T) {
	t.Parallel()
	testenv.AllVersions(t)
	dir := t.TempDir()
	program := "package main\n\nfunc main() { println() }\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, toolchain := range append([]string{"local"}, testenv.OtherVersions()...) {
		for _, arch := range []string{"amd64", "arm64"} {
			t.Run(toolchain+"/"+arch, func(t *testing.T) {
				bin := filepath.Join(dir, toolchain+arch)
				cmd := exec.Command("go", "build", "-o", bin, "main.go")
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain, "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("go build with GOTOOLCHAIN=%s: %v\n%s", toolchain, err, out)
				}
				got, err := offsets(bin)
				if err != nil {
					t.Fatal(err)
				}
				out, err := exec.Command("go", "version", bin).Output()
				if err != nil {
					t.Fatal(err)
				}
				_, version, _ := strings.Cut(string(out), ": ")
				for field, off := range moved(version) {
					if o, ok := got[field]; !ok || o != off {
						t.Errorf("%s: %s is at %d (found: %v), the layout says %d", version, field, o, ok, off)
					}
				}
				for field, off := range want {
					if o, ok := got[field]; !ok || o != off {
						t.Errorf("%s is at %d (found: %v), layout.go says %d", field, o, ok, off)
					}
				}
			})
		}
	}
}

// offsets returns the offset of every field of the runtime's g, m, gobuf and
// stack in the executable.
func offsets(bin string) (map[string]int64, error) {
	f, err := elf.Open(bin)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := f.DWARF()
	if err != nil {
		return nil, err
	}
	found := make(map[string]int64)
	for r := d.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			break
		}
		if e.Tag != dwarf.TagStructType {
			continue
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		switch name {
		case "runtime.g", "runtime.m", "runtime.p", "runtime.gobuf", "runtime.stack":
		default:
			r.SkipChildren()
			continue
		}
		typ, err := d.Type(e.Offset)
		if err != nil {
			return nil, err
		}
		s, ok := typ.(*dwarf.StructType)
		if !ok {
			return nil, fmt.Errorf("%s: %s is a %T", bin, name, typ)
		}
		for _, field := range s.Field {
			found[name+"."+field.Name] = field.ByteOffset
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no debug information about the runtime", bin)
	}
	return found, nil
}
