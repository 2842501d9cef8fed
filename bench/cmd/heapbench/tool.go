//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seamgo/seam/bench/internal/seam"
)

// A tool is a heap profiler.
type tool struct {
	name string
	base []string // the environment of what it is compared with
	// missing says why it can't be used here.
	missing func(ctx context.Context) error
	// line is how a program is run so that a profile lies below dir.
	line func(program, arg, dir string) (line, env []string)
	// stacks reads that profile: the live bytes of stacks, whose frames are parted by semicolons.
	stacks func(ctx context.Context, p seam.Project, program, dir string) (map[string]float64, error)
}

const (
	jemalloc = "libjemalloc.so.2"
	tcmalloc = "libtcmalloc.so.4"
)

// tools are all of them, seam heap first.
func tools(seamPath string) []tool {
	return []tool{
		{
			name:    "seam",
			missing: func(context.Context) error { return nil },
			line: func(program, arg, dir string) (line, env []string) {
				return []string{seamPath, "heap", "--json", filepath.Join(dir, "heap.json"), "--", program, arg}, nil
			},
			stacks: func(_ context.Context, _ seam.Project, _, dir string) (map[string]float64, error) {
				text, err := os.ReadFile(filepath.Join(dir, "heap.json"))
				if err != nil {
					return nil, err
				}
				return readSeam(text)
			},
		},
		{
			name:    "heaptrack",
			missing: installed("heaptrack", "heaptrack_print"),
			line: func(program, arg, dir string) (line, env []string) {
				return []string{"heaptrack", "-o", filepath.Join(dir, "heaptrack"), program, arg}, nil
			},
			stacks: func(ctx context.Context, p seam.Project, _, dir string) (map[string]float64, error) {
				profile, err := one(filepath.Join(dir, "heaptrack*"))
				if err != nil {
					return nil, err
				}
				folded := filepath.Join(dir, "folded")
				if _, err := p.Run(ctx, []string{"heaptrack_print", "-f", profile, "-F", folded, "--flamegraph-cost-type", "leaked"}); err != nil {
					return nil, err
				}
				text, err := os.ReadFile(folded)
				if err != nil {
					return nil, err
				}
				return readFolded(string(text))
			},
		},
		{
			name:    "jemalloc",
			base:    []string{"LD_PRELOAD=" + jemalloc},
			missing: both(preloads(jemalloc), installed("jeprof")),
			line: func(program, arg, dir string) (line, env []string) {
				return []string{program, arg}, []string{"LD_PRELOAD=" + jemalloc, "MALLOC_CONF=prof:true,prof_final:true,lg_prof_sample:19,prof_prefix:" + filepath.Join(dir, "jemalloc")}
			},
			stacks: folded("jeprof", "jemalloc*"),
		},
		{
			name:    "gperftools",
			base:    []string{"LD_PRELOAD=" + tcmalloc},
			missing: both(preloads(tcmalloc), installed("google-pprof")),
			line: func(program, arg, dir string) (line, env []string) {
				return []string{program, arg}, []string{"LD_PRELOAD=" + tcmalloc, "HEAPPROFILE=" + filepath.Join(dir, "gperftools")}
			},
			stacks: folded("google-pprof", "gperftools*"),
		},
	}
}

// folded reads a profile by a descendant of gperftools' pprof.
func folded(pprof, pattern string) func(context.Context, seam.Project, string, string) (map[string]float64, error) {
	return func(ctx context.Context, p seam.Project, program, dir string) (map[string]float64, error) {
		profile, err := one(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		text, err := p.Run(ctx, []string{pprof, "--collapsed", "--inuse_space", program, profile})
		if err != nil {
			return nil, err
		}
		return readFolded(string(text))
	}
}

// one is the only file that matches, or the last that was written.
func one(pattern string) (string, error) {
	names, err := filepath.Glob(pattern)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no profile %s was written", pattern)
	}
	if err != nil {
		return "", err
	}
	return names[len(names)-1], nil // they are numbered
}

// readFolded reads lines of a stack, a space, and bytes. Other lines have none.
func readFolded(text string) (map[string]float64, error) {
	all := map[string]float64{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || !strings.Contains(line[:at], ";") {
			continue
		}
		v, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("%q doesn't end in a number of bytes", line)
		}
		all[line[:at]] += v
	}
	if len(all) == 0 {
		return nil, errors.New("the profile has no stacks")
	}
	return all, nil
}

// readSeam reads what seam heap --json writes.
func readSeam(text []byte) (map[string]float64, error) {
	var file struct {
		Sites []struct {
			Live  float64 `json:"live"`
			Stack []struct{ Func string }
		} `json:"sites"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	all := map[string]float64{}
	for _, s := range file.Sites {
		var frames []string
		for _, f := range s.Stack {
			frames = append(frames, f.Func)
		}
		all[strings.Join(frames, ";")] += s.Live
	}
	return all, nil
}

// installed says whether programs are there.
func installed(programs ...string) func(context.Context) error {
	return func(context.Context) error {
		for _, p := range programs {
			if _, err := exec.LookPath(p); err != nil {
				return fmt.Errorf("%s isn't installed", p)
			}
		}
		return nil
	}
}

// preloads says whether the dynamic linker finds a library.
func preloads(library string) func(context.Context) error {
	return func(ctx context.Context) error {
		c := exec.CommandContext(ctx, "env", "true")
		c.Env = append(os.Environ(), "LD_PRELOAD="+library)
		if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
			return fmt.Errorf("%s isn't installed", library)
		}
		return nil
	}
}

func both(a, b func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := a(ctx); err != nil {
			return err
		}
		return b(ctx)
	}
}
