// Package compiler looks at the C compiler that a build would use: whether it is there,
// whether it works, for which machine it compiles, and how to get one that is missing.
package compiler

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// A State is what was found out about one compiler.
type State struct {
	Command string `json:"command"`           // as go env has it: "gcc", "zig cc -target …"
	Path    string `json:"path,omitempty"`    // "" where it isn't found
	Version string `json:"version,omitempty"` // the first line of --version
	Problem string `json:"problem,omitempty"` // "" for one that works
	Fix     string `json:"fix,omitempty"`
}

// C looks at the compiler for C of a build in dir.
func C(ctx context.Context, e *gotool.Env, dir string) State {
	return look(ctx, e, dir, "CC", e.CC, "c", "#include <stdlib.h>\nvoid *seam(void) { return malloc(1); }\n")
}

// CXX looks at the compiler for C++ of a build in dir.
func CXX(ctx context.Context, e *gotool.Env, dir string) State {
	return look(ctx, e, dir, "CXX", e.CXX, "c++", "#include <cstdlib>\nvoid *seam() { return std::malloc(1); }\n")
}

func look(ctx context.Context, e *gotool.Env, dir, variable, command, language, program string) State {
	s := State{Command: command}
	words, err := gotool.SplitQuoted(command)
	if err != nil || len(words) == 0 {
		s.Problem = fmt.Sprintf("%s is %q, which is no command", variable, command)
		s.Fix = "unset " + variable + ", or go env -u " + variable
		return s
	}
	if s.Path, err = exec.LookPath(words[0]); err != nil {
		s.Problem = words[0] + " is not on PATH"
		if strings.ContainsRune(words[0], filepath.Separator) {
			s.Problem = "there is no " + words[0]
			if _, err := os.Stat(words[0]); err == nil {
				s.Problem = words[0] + " is no program that can be run"
			}
		}
		s.Fix = ToGet(variable, words[0])
		return s
	}
	said, err := gotool.Run(ctx, gotool.Cmd{Args: append(words[:len(words):len(words)], "--version"), Dir: dir})
	if err == nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
		s.Version = strings.TrimSpace(first)
	}
	if err := compile(ctx, e, dir, words, language, program); err != nil {
		s.Problem = fmt.Sprintf("%s doesn't work: %v", words[0], gotool.Brief(err))
		s.Fix = ToGet(variable, words[0])
		var other *otherMachine
		var place *noPlace
		switch {
		case errors.As(err, &other):
			s.Fix = forOther(e.GOOS, e.GOARCH)
		case errors.As(err, &place):
			s.Problem = "nothing can be compiled: " + err.Error()
			s.Fix = Unset("TMPDIR") + ", or set it to a folder that can be written"
		case len(words) > 1 && compile(ctx, e, dir, words[:1], language, program) == nil:
			s.Problem = fmt.Sprintf("%q doesn't work, and %s alone does: %v", command, words[0], gotool.Brief(err))
			s.Fix = Unset(variable) + ", or take the wrong flag out of it"
		}
	}
	return s
}

// ToGet says how to get a compiler that isn't there, or isn't whole.
func ToGet(variable, command string) string {
	get := HowToGet(command)
	switch {
	case os.Getenv(variable) == "" && get != "":
		return get
	case get != "":
		return fmt.Sprintf("%s; or unset %s", get, variable)
	}
	return fmt.Sprintf("unset %s, or set it to a compiler that is installed", variable)
}

// Unset is the command that takes back a variable of the environment, or of go env -w.
func Unset(variable string) string {
	if os.Getenv(variable) == "" {
		return "go env -u " + variable
	}
	return "unset " + variable
}

// noPlace is the error of a folder for temporary files that isn't one.
type noPlace struct{ error }

// otherMachine is the error of a compiler that compiles for another machine than Go.
type otherMachine struct{ got, want string }

func (o *otherMachine) Error() string {
	return fmt.Sprintf("it compiles for %s, and the build is for %s", o.got, o.want)
}

// compile compiles a program of one line, and looks whether what comes of it is for the
// machine that Go builds for: to compile for another, gcc has to be another gcc.
func compile(ctx context.Context, e *gotool.Env, dir string, words []string, language, program string) error {
	folder, err := os.MkdirTemp("", "seam-compiler-")
	if err != nil {
		return &noPlace{err}
	}
	defer os.RemoveAll(folder)
	object := filepath.Join(folder, "a.o")
	args := append(words[:len(words):len(words)], "-c", "-x", language, "-o", object, "-")
	if _, err := gotool.Run(ctx, gotool.Cmd{Args: args, Dir: dir, Stdin: strings.NewReader(program)}); err != nil {
		return err
	}
	f, err := elf.Open(object)
	if err != nil {
		return nil // another system's format
	}
	defer f.Close()
	if got := Machine(f.Machine); got != "" && got != e.GOARCH {
		return &otherMachine{got, e.GOARCH}
	}
	return nil
}

// Machine is the GOARCH of a machine; "" for one that Go has more than one name for, or none.
func Machine(m elf.Machine) string {
	return map[elf.Machine]string{
		elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_386: "386", elf.EM_ARM: "arm",
		elf.EM_S390: "s390x", elf.EM_LOONGARCH: "loong64",
	}[m]
}
