package callgraph

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// graphFlag makes gcc write the call graph, with stack use and dynamic objects.
const graphFlag = "-fcallgraph-info=su,da"

// dumpFlag makes gcc write the program before it is optimised; a file's name follows.
const dumpFlag = "-fdump-tree-gimple-raw-lineno="

// accept finds out whether a compiler can write call graphs, or is clang, whose assembly does.
// The command has its flags too, since CC may be "ccache gcc" or "zig cc".
func (c *compiler) accept(ctx context.Context, command, env []string) (version string, clang bool, err error) {
	name := command[0]
	command = slices.Clip(command)
	out, err := c.run(ctx, env, append(command, "--version")...)
	if gotool.NotFound(err) {
		return "", false, &missing{fmt.Sprintf("the C compiler %s was not found: install it, or set CC", name)}
	}
	if err != nil {
		return "", false, &missing{fmt.Sprintf("the C compiler does not run: %v", err)}
	}
	flags, product, since := []string{graphFlag}, "a.ci", "gcc 10"
	if clang = strings.Contains(string(out), "clang"); clang {
		if !readable(env) {
			return "", false, &missing{fmt.Sprintf("%s is clang, whose assembly is read for amd64 and arm64 only: use gcc for proofs, as in CC=gcc seam plan", name)}
		}
		flags, product, since = clangFlags, "a.s", "clang 13"
	}
	first, _, _ := strings.Cut(string(out), "\n")
	work, err := os.MkdirTemp("", "seam-callgraph-")
	if err != nil {
		return "", false, err
	}
	defer os.RemoveAll(work)
	empty := filepath.Join(work, "a.c")
	if err := os.WriteFile(empty, []byte("int f(void);\nint f(void) { return 0; }\n"), 0o666); err != nil {
		return "", false, err
	}
	object := filepath.Join(work, "a.s")
	if _, err := c.run(ctx, env, slices.Concat(command, flags, []string{"-S", "-o", object, empty})...); err != nil {
		return "", false, &missing{fmt.Sprintf("%s (%s) has no %s: %s or later has", name, first, flags[0], since)}
	}
	if _, err := os.Stat(filepath.Join(work, product)); err != nil {
		return "", false, &missing{fmt.Sprintf("%s (%s) wrote no call graph for %s", name, first, flags[0])}
	}
	return string(out), clang, nil
}

// readable reports whether the ways through functions can be told from the target's assembly.
func readable(env []string) bool {
	return slices.Contains(env, "GOARCH=amd64") || slices.Contains(env, "GOARCH=arm64")
}

func (c *compiler) run(ctx context.Context, env []string, args ...string) ([]byte, error) {
	return gotool.Run(ctx, gotool.Cmd{Args: args, Dir: c.pkg.Dir, Env: append(slices.Clip(env), "LC_ALL=C")})
}
