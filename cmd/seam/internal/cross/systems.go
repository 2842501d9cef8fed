package cross

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/compiler"
)

// refuse says why there is no way to build for a target.
func (t Target) refuse() error {
	targets := compiler.Targets
	of := func(goos string) string { return goos + "/" + strings.Join(targets[goos], ", "+goos+"/") }
	switch {
	case t.GOOS == "darwin" || t.GOOS == "ios":
		return fmt.Errorf("--target %s: %s", t, compiler.NeedsMac)
	case targets[t.GOOS] == nil:
		return fmt.Errorf("--target %s: seam cross builds for Linux, Windows and FreeBSD (%s, %s, %s)", t, of("linux"), of("windows"), of("freebsd"))
	case !slices.Contains(targets[t.GOOS], t.GOARCH):
		return fmt.Errorf("--target %s: no C compiler for it is known to seam cross (want %s)", t, of(t.GOOS))
	}
	return nil
}

// zig is how Zig calls a target.
func (t Target) zig() string {
	m := machines[t.GOARCH]
	switch {
	case t.GOOS == "windows":
		return m.Zig + "-windows-gnu"
	case t.GOOS == "freebsd":
		return m.Zig + "-freebsd-none"
	case t.Static:
		return m.Zig + "-linux-musl" + t.abi()
	case t.Glibc != "":
		return m.Zig + "-linux-gnu" + t.abi() + "." + t.Glibc
	}
	return m.Zig + "-linux-gnu" + t.abi()
}

// leastZig is the first version of Zig with a system's C library.
var leastZig = map[string]string{"freebsd": "0.15"}

// triple is how gcc calls a target.
func (t Target) triple() string {
	m := machines[t.GOARCH]
	switch t.GOOS {
	case "windows":
		return m.Debian + "-w64-mingw32"
	case "freebsd":
		return m.Debian + "-unknown-freebsd"
	}
	return m.Debian + "-linux-gnu" + t.abi()
}

// gcc is the target's gcc, as distributions call it; "" where they have none.
func (t Target) gcc() string {
	if t.GOOS == "freebsd" || t.GOOS == "windows" && t.GOARCH == "arm64" {
		return ""
	}
	return t.triple() + "-gcc"
}

// program is the name of a program that the go command gives.
func (t Target) program(name string) string {
	if t.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
