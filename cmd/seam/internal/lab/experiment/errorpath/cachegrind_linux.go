package errorpath

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A cachegrind simulates the L1 instruction cache.
type cachegrind struct {
	valgrind string
	cache    string // size, ways, bytes of a line; "" leaves it to Cachegrind
}

func findCachegrind() (*cachegrind, error) {
	path, err := exec.LookPath("valgrind")
	if err != nil {
		return nil, err
	}
	return &cachegrind{path, l1i("/sys/devices/system/cpu/cpu0/cache")}, nil
}

// l1i reads the shape of the L1 instruction cache, in the form that Cachegrind
// wants; "" where the system does not tell all of it.
func l1i(dir string) string {
	folders, _ := filepath.Glob(filepath.Join(dir, "index*"))
	for _, folder := range folders {
		read := func(name string) string {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(text))
		}
		if read("level") != "1" || read("type") != "Instruction" {
			continue
		}
		kilobytes, err := strconv.Atoi(strings.TrimSuffix(read("size"), "K"))
		ways, err2 := strconv.Atoi(read("ways_of_associativity"))
		line, err3 := strconv.Atoi(read("coherency_line_size"))
		if err == nil && err2 == nil && err3 == nil && ways > 0 {
			return fmt.Sprintf("%d,%d,%d", kilobytes<<10, ways, line)
		}
	}
	return ""
}

// misses counts the misses of one decode: what more rotations add, since
// starting a program has misses too.
func (c *cachegrind) misses(ctx context.Context, path string, types int) (float64, error) {
	const few = 1
	more := (decodes + types - 1) / types
	before, err := c.run(ctx, path, types, few)
	if err != nil {
		return 0, err
	}
	after, err := c.run(ctx, path, types, few+more)
	if err != nil {
		return 0, err
	}
	// A figure below 0 is only the difference between two starts.
	return max(0, float64(after-before)) / float64(more*types), nil
}

// run gives the misses of a whole program: the fewer of two runs, since threads
// of Go's run-time that wake up by the clock add some.
func (c *cachegrind) run(ctx context.Context, path string, types, rotations int) (int64, error) {
	fewer, err := c.once(ctx, path, types, rotations)
	if err != nil {
		return 0, err
	}
	again, err := c.once(ctx, path, types, rotations)
	return min(fewer, again), err
}

func (c *cachegrind) once(ctx context.Context, path string, types, rotations int) (int64, error) {
	args := []string{"--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"}
	if c.cache != "" {
		args = append(args, "--I1="+c.cache)
	}
	cmd := exec.CommandContext(ctx, c.valgrind, append(args, path, strconv.Itoa(types), strconv.Itoa(rotations))...)
	cmd.WaitDelay = time.Second
	// The collector's threads would be counted too.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	n, ok := missesIn(string(out))
	if err != nil || !ok {
		return 0, fmt.Errorf("%s gives no misses (%v): %.200s", c.valgrind, err, lastLine(string(out)))
	}
	return n, nil
}

var missLine = regexp.MustCompile(`(?m)^==\d+== I1\s+misses:\s+([\d,]+)`)

// missesIn reads what Cachegrind prints at the end.
func missesIn(out string) (int64, bool) {
	m := missLine.FindStringSubmatch(out)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
	return n, err == nil
}

func lastLine(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[len(lines)-1]
}
