package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// A compiler asks the Go compiler about one package.
type compiler struct {
	goTool, dir string
	flags       []string // for go list and go build
	toolDir     string   // GOTOOLDIR
}

// decisions compiles a package's Go, with the files that cgo wrote to objdir,
// and returns what -m=2 prints. The package's C is not compiled if that can be
// avoided: it may take minutes.
func (c *compiler) decisions(ctx context.Context, p gotool.Package, objdir string) ([]byte, error) {
	work, err := os.MkdirTemp("", "seam-explain-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	out, err := c.compile(ctx, p, objdir, work)
	if err == nil || ctx.Err() != nil {
		return out, ctx.Err()
	}
	// The go command knows what the direct way doesn't, such as go:embed.
	args := slices.Concat([]string{c.goTool, "build", "-o", filepath.Join(work, "out"), "-gcflags=" + p.ImportPath + "=-m=2"}, c.flags, []string{"--", p.ImportPath})
	if out, err = gotool.Run(ctx, gotool.Cmd{Args: args, Dir: c.dir, Merge: true}); err != nil {
		return nil, err
	}
	return c.shorten(out, p, objdir), nil
}

// compile runs the compiler alone.
func (c *compiler) compile(ctx context.Context, p gotool.Package, objdir, work string) ([]byte, error) {
	args := slices.Concat([]string{c.goTool, "list", "-json=Imports,ImportMap,Module"}, c.flags, []string{"--", p.ImportPath})
	out, err := gotool.Run(ctx, gotool.Cmd{Args: args, Dir: c.dir})
	if err != nil {
		return nil, err
	}
	var about struct {
		Imports   []string
		ImportMap map[string]string
		Module    *struct{ GoVersion string }
	}
	if err := json.Unmarshal(out, &about); err != nil {
		return nil, fmt.Errorf("the answer of go list is not JSON: %w", err)
	}
	wanted := []string{"runtime/cgo", "syscall", "unsafe"} // those of cgo's own files
	for _, path := range about.Imports {
		if path != "C" {
			wanted = append(wanted, path)
		}
	}
	args = slices.Concat([]string{c.goTool, "list", "-export", "-deps",
		"-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}"}, c.flags, []string{"--"}, wanted)
	if out, err = gotool.Run(ctx, gotool.Cmd{Args: args, Dir: c.dir}); err != nil {
		return nil, err
	}
	config := bytes.NewBuffer(out)
	for from, to := range about.ImportMap {
		fmt.Fprintf(config, "importmap %s=%s\n", from, to)
	}
	configFile := filepath.Join(work, "importcfg")
	if err := os.WriteFile(configFile, config.Bytes(), 0o600); err != nil {
		return nil, err
	}
	args = []string{filepath.Join(c.toolDir, "compile"), "-p", p.ImportPath, "-importcfg", configFile, "-pack", "-o", filepath.Join(work, "out"), "-m=2"}
	if p.Name == "main" {
		args[2] = "main"
	}
	if p.Standard {
		args = append(args, "-std")
	} else if about.Module != nil && about.Module.GoVersion != "" {
		args = append(args, "-lang=go"+language(about.Module.GoVersion))
	}
	args = append(args, filepath.Join(objdir, "_cgo_gotypes.go"))
	generated, err := filepath.Glob(filepath.Join(objdir, "*.cgo1.go")) // objdir is ours and has no pattern in it
	if err != nil {
		return nil, err
	}
	args = append(args, generated...)
	for _, f := range p.GoFiles {
		args = append(args, filepath.Join(p.Dir, f))
	}
	if out, err = gotool.Run(ctx, gotool.Cmd{Args: args, Dir: c.dir, Merge: true}); err != nil {
		return nil, err
	}
	return c.shorten(out, p, objdir), nil
}

// language is a version as -lang wants it: "1.25" of "1.25.3" or "1.25rc1".
func language(v string) string {
	parts := strings.SplitN(v, ".", 3)
	if len(parts) < 2 {
		return v
	}
	minor := parts[1]
	if i := strings.IndexFunc(minor, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		minor = minor[:i]
	}
	return parts[0] + "." + minor
}

// shorten takes the folders off the names of the package's files.
func (c *compiler) shorten(out []byte, p gotool.Package, objdir string) []byte {
	sep := string(filepath.Separator)
	return []byte(strings.NewReplacer(objdir+sep, "", p.Dir+sep, "").Replace(string(out)))
}
