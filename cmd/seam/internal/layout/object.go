package layout

import (
	"debug/dwarf"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// A Target is what is built for.
type Target struct {
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	Word   int64  `json:"pointer_bytes"`
}

func targetOf(env *gotool.Env) Target {
	t := Target{GOOS: env.GOOS, GOARCH: env.GOARCH, Word: 8}
	if slices.Contains(arch32, env.GOARCH) {
		t.Word = 4
	}
	return t
}

var errNoDWARF = errors.New("it has no DWARF")

// openDWARF reads the debugging information of an object file or a program.
func openDWARF(name string) (data *dwarf.Data, err error) {
	if f, e := elf.Open(name); e == nil {
		defer f.Close()
		data, err = f.DWARF()
	} else if f, e := macho.Open(name); e == nil {
		defer f.Close()
		data, err = f.DWARF()
	} else if f, e := pe.Open(name); e == nil {
		defer f.Close()
		data, err = f.DWARF()
	} else {
		return nil, fmt.Errorf("%s is not a readable object file (ELF, Mach-O or PE)", filepath.Base(name))
	}
	if err != nil {
		return nil, errNoDWARF
	}
	if e, err := data.Reader().Next(); err != nil || e == nil {
		return nil, errNoDWARF
	}
	return data, nil
}
