// Package cross builds Go programs with C for another system: it finds a C compiler that
// can, says how to get one where there is none, sets what the go command has to know, and
// looks into what was built whether it is what was asked for.
package cross

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/compiler"
)

// A Target is what to build for.
type Target struct {
	GOOS, GOARCH string
	Static       bool   // no shared library, and no dynamic linker
	Glibc        string // "2.17": runs with this version of the C library and later ones; "" for any

	variant string // GOARM, GO386 or GOAMD64
}

// machines are how compilers name a GOARCH.
var machines = compiler.Crosses

var version = regexp.MustCompile(`^2\.\d{1,3}$`)

// ParseTarget reads "linux/arm64" and a version of glibc.
func ParseTarget(target string, static bool, glibc string) (Target, error) {
	t := Target{Static: static, Glibc: glibc}
	var ok bool
	t.GOOS, t.GOARCH, ok = strings.Cut(target, "/")
	switch {
	case !ok:
		return t, fmt.Errorf("--target %s: want a system and a machine, such as linux/arm64", target)
	case t.refuse() != nil:
		return t, t.refuse()
	case glibc != "" && t.GOOS != "linux":
		return t, fmt.Errorf("--glibc is for Linux: the C library of %s is another", t)
	case static && t.GOOS == "freebsd":
		return t, errors.New("--static is for Linux and Windows: Zig has FreeBSD's C library as a shared one only")
	case glibc != "" && static:
		return t, errors.New("--static and --glibc exclude each other: a static program brings its own C library")
	case glibc != "" && !version.MatchString(glibc):
		return t, fmt.Errorf("--glibc %s: want a version such as 2.17", glibc)
	}
	return t, nil
}

func (t Target) String() string { return t.GOOS + "/" + t.GOARCH }

// newer reports whether one version of glibc is newer than another: 2.17 than 2.3.4.
func newer(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if n := cmp.Compare(number(x, i), number(y, i)); n != 0 {
			return n > 0
		}
	}
	return false
}

func number(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}
