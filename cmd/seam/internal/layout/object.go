package layout

import (
	"context"
	"debug/dwarf"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Target is what is built for.
type Target struct {
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	Word   int64  `json:"pointer_bytes"`
}

// goEnv are the settings of the go command that matter here.
type goEnv struct {
	GOOS, GOARCH, GOFLAGS, GOMODCACHE, GOROOT, GOVERSION, CC, CXX, CGO_ENABLED string
}

func readEnv(ctx context.Context, goTool, dir string) (goEnv, Target, error) {
	var env goEnv
	out, err := run(ctx, dir, nil, goTool, "env", "-json")
	if err == nil {
		err = json.Unmarshal(out, &env)
	}
	if err != nil {
		return env, Target{}, err
	}
	t := Target{GOOS: env.GOOS, GOARCH: env.GOARCH, Word: 8}
	switch env.GOARCH {
	case "386", "arm", "mips", "mipsle":
		t.Word = 4
	}
	return env, t, nil
}

// run runs a command and gives its standard output; its error has what the
// command said.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), env...)
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		return []byte(out.String()), nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s can't be started: %w", name, err)
	}
	if text := firstLines(said.String()); text != "" {
		err = errors.New(text)
	}
	base := filepath.Base(name)
	if len(args) > 0 && base == "go" {
		base += " " + args[0]
	}
	return nil, fmt.Errorf("%s: %w", base, err)
}

// maxLines bounds what is shown of a compiler's complaints.
const maxLines = 20

// firstLines is the beginning of a text as errors hold it: lines that go on begin
// with a tab.
func firstLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if n := len(lines); n > maxLines {
		lines = append(lines[:maxLines], fmt.Sprintf("… and %d more lines", n-maxLines))
	}
	for i := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' || r == 0x7f {
				return '·'
			}
			return r
		}, strings.TrimRight(lines[i], "\r"))
	}
	return strings.Join(lines, "\n\t")
}

var errNoDWARF = errors.New("it holds no DWARF")

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
		return nil, fmt.Errorf("%s is no object file that can be read: ELF, Mach-O or PE", filepath.Base(name))
	}
	if err != nil {
		return nil, errNoDWARF
	}
	if e, err := data.Reader().Next(); err != nil || e == nil {
		return nil, errNoDWARF
	}
	return data, nil
}
