package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/compiler"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// probeLimit is how long the program that is built may run. It does next to nothing.
const probeLimit = 10 * time.Second

// mostProbed bounds the packages of a folder whose #cgo lines are tried.
const mostProbed = 20

// probe has the go command build a small program with C in the folder, with all that is set
// there, and runs it if it is one for this machine: a compiler that makes objects may still not
// link, and flags may be wrong. cgo are #cgo lines.
func (b *Build) probe(ctx context.Context, dir, cgo string, env ...string) error {
	folder, err := os.MkdirTemp("", "seam-doctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	source, program := filepath.Join(folder, "main.go"), filepath.Join(folder, "probe"+b.Env.GOEXE)
	text := "package main\n\n/*\n" + cgo + "#include <stdlib.h>\nstatic int seam(void) { void *p = malloc(1); free(p); return p == 0; }\n*/\nimport \"C\"\n\nimport \"os\"\n\nfunc main() { os.Exit(int(C.seam())) }\n"
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		return err
	}
	if _, err := gotool.Run(ctx, gotool.Cmd{Args: []string{"go", "build", "-o", program, source}, Dir: dir, Env: env}); err != nil {
		return err
	}
	if b.GOOS != runtime.GOOS || b.GOARCH != runtime.GOARCH {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	if _, err := gotool.Run(ctx, gotool.Cmd{Args: []string{program}, Dir: dir}); err != nil {
		return fmt.Errorf("it builds a program that doesn't run: %w", err)
	}
	return nil
}

// builds looks whether programs with C can be built in the folder, and if not which setting is
// in the way.
func (r *Report) builds(ctx context.Context, dir string) {
	b := &r.Build
	err := b.probe(ctx, dir, "")
	if err == nil || ctx.Err() != nil {
		if err == nil {
			r.packages(ctx, dir)
		}
		return
	}
	s := &b.C
	s.Problem = fmt.Sprintf("with %s no program with C can be built: %v", s.Command, gotool.Brief(err))
	for _, variable := range []string{"CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_LDFLAGS", "GOFLAGS", "CGO_CFLAGS_ALLOW", "CGO_LDFLAGS_ALLOW", "GOTMPDIR", "GOROOT"} {
		if b.probe(ctx, dir, "", variable+"=") != nil {
			continue
		}
		s.Fix = compiler.Unset(variable)
		s.Problem = fmt.Sprintf("%s is in the way: %v", variable, gotool.Brief(err))
		break
	}
	if s.Fix == "" {
		words, _ := gotool.SplitQuoted(s.Command) // which compiled something
		s.Fix = compiler.ToGet("CC", words[0])
	}
	r.find(AreaBuild, "no program with C can be built", s.Problem, s.Fix)
}

// packages tries what the #cgo lines of the folder's packages name: libraries, and packages of
// pkg-config.
func (r *Report) packages(ctx context.Context, dir string) {
	if r.Build.Module == "" {
		return
	}
	list, _ := gotool.List(ctx, "go", dir, []string{"-find"}, "./...") // what is wrong with Go is the go command's to say
	tried := map[string]bool{}
	for _, p := range list {
		cgo := directives(&p)
		if cgo == "" || tried[cgo] || len(tried) == mostProbed {
			continue
		}
		tried[cgo] = true
		err := r.Build.probe(ctx, dir, cgo)
		if err == nil || ctx.Err() != nil {
			continue
		}
		fix := "install the libraries that its #cgo lines name, or correct CGO_LDFLAGS"
		if len(p.CgoPkgConfig) > 0 && strings.Contains(err.Error(), "pkg-config") {
			fix = fmt.Sprintf("install what has %s.pc, or set PKG_CONFIG_PATH to its folder", strings.Join(p.CgoPkgConfig, ".pc and "))
			if _, err := exec.LookPath(cmp.Or(os.Getenv("PKG_CONFIG"), "pkg-config")); err != nil {
				fix = cmp.Or(compiler.HowToGet("pkg-config"), "install pkg-config")
			}
		}
		r.find(AreaBuild, fmt.Sprintf("package %s can't be built", p.ImportPath), gotool.Brief(err).Error(), fix)
	}
}

// directives are the #cgo lines of a package.
func directives(p *gotool.Package) string {
	var b strings.Builder
	for _, d := range []struct {
		name  string
		words []string
	}{{"pkg-config", p.CgoPkgConfig}, {"CPPFLAGS", p.CgoCPPFLAGS}, {"CFLAGS", p.CgoCFLAGS}, {"LDFLAGS", p.CgoLDFLAGS}} {
		// A preamble is a comment, and each directive a line; such words can't be quoted for both.
		if len(d.words) == 0 || slices.ContainsFunc(d.words, func(w string) bool { return strings.ContainsAny(w, "\n'\"\\") || strings.Contains(w, "*/") }) {
			continue
		}
		b.WriteString("#cgo " + d.name + ":")
		for _, w := range d.words {
			if strings.ContainsAny(w, " \t") {
				w = `"` + w + `"`
			}
			b.WriteString(" " + w)
		}
		b.WriteString("\n")
	}
	return b.String()
}
