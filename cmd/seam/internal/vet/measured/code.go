package measured

import (
	"context"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// Code returns a function for [Facts.Code] that has the go command compile the package, with
// flags as for go build, and reads what it has in its cache then. What doesn't compile has no
// code; findings that need it are missing.
func Code(ctx context.Context, goTool, dir string, flags []string) func(pkg, fn string) map[Line]int {
	archives := map[string]string{} // by import path
	archive := func(pkg string) string {
		if _, known := archives[pkg]; !known {
			args := append([]string{goTool, "list", "-export", "-f", "{{.Export}}"}, flags...)
			out, err := gotool.Run(ctx, gotool.Cmd{Args: append(args, "--", pkg), Dir: dir})
			if err != nil {
				out = nil
			}
			archives[pkg] = strings.TrimSpace(string(out))
		}
		return archives[pkg]
	}
	var one sync.Mutex // rules run several at a time
	return func(pkg, fn string) map[Line]int {
		one.Lock()
		defer one.Unlock()
		file := archive(pkg)
		if file == "" {
			return nil
		}
		out, err := gotool.Run(ctx, gotool.Cmd{Args: []string{goTool, "tool", "objdump", "-s", "^" + regexp.QuoteMeta(fn) + "$", file}, Dir: dir})
		if err != nil {
			return nil
		}
		return readDump(string(out))
	}
}

// readDump adds up the bytes of the instructions that go tool objdump lists, line by line:
//
//	file.go:12	0x1234	4883ec20	SUBQ $0x20, SP
func readDump(text string) map[Line]int {
	lines := map[Line]int{}
	for row := range strings.Lines(text) {
		f := strings.Fields(row)
		if len(f) < 3 || !strings.HasPrefix(f[1], "0x") {
			continue
		}
		name, number, ok := strings.Cut(f[0], ":")
		n, err := strconv.Atoi(number)
		if !ok || err != nil {
			continue
		}
		lines[Line{filepath.Base(name), n}] += len(f[2]) / 2
	}
	return lines
}
