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

// accept finds out whether a compiler can write call graphs.
func (c *compiler) accept(ctx context.Context, name string, env []string) (version string, err error) {
	out, err := c.run(ctx, env, name, "--version")
	if gotool.NotFound(err) {
		return "", &missing{fmt.Sprintf("the C compiler %s was not found: install it, or set CC", name)}
	}
	if err != nil {
		return "", &missing{fmt.Sprintf("the C compiler does not run: %v", err)}
	}
	if strings.Contains(string(out), "clang") {
		return "", &missing{fmt.Sprintf("%s is clang, which writes no call graph: use gcc for proofs, as in CC=gcc seam plan", name)}
	}
	first, _, _ := strings.Cut(string(out), "\n")
	work, err := os.MkdirTemp("", "seam-callgraph-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	empty := filepath.Join(work, "a.c")
	if err := os.WriteFile(empty, []byte("int f(void);\nint f(void) { return 0; }\n"), 0o666); err != nil {
		return "", err
	}
	object := filepath.Join(work, "a.s")
	if _, err := c.run(ctx, env, name, graphFlag, "-S", "-o", object, empty); err != nil {
		return "", &missing{fmt.Sprintf("%s (%s) has no %s: gcc 10 or later has", name, first, graphFlag)}
	}
	if _, err := os.Stat(filepath.Join(work, "a.ci")); err != nil {
		return "", &missing{fmt.Sprintf("%s (%s) wrote no call graph for %s", name, first, graphFlag)}
	}
	return string(out), nil
}

func (c *compiler) run(ctx context.Context, env []string, args ...string) ([]byte, error) {
	return gotool.Run(ctx, gotool.Cmd{Args: args, Dir: c.pkg.Dir, Env: append(slices.Clip(env), "LC_ALL=C")})
}
