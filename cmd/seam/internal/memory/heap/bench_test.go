//go:build linux && (amd64 || arm64)

package heap

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

const loop = `
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int n, char **args) {
	long count = atol(args[1]), size = atol(args[2]);
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (long i = 0; i < count; i++) {
		void *p = malloc(size);
		__asm__ volatile("" :: "r"(p) : "memory");
		free(p);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.3f\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / count);
}
`

// BenchmarkMalloc is a pair of malloc and free without the library and with it, in turns: the least of
// all turns of each, in nanoseconds.
func BenchmarkMalloc(b *testing.B) {
	gcc := testenv.Tool(b, "gcc")
	dir := b.TempDir()
	program := filepath.Join(dir, "loop")
	cmd := exec.CommandContext(b.Context(), gcc, "-O2", "-x", "c", "-o", program, "-")
	cmd.Stdin = strings.NewReader(loop)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	l, err := Library(b.Context(), []string{gcc})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []string{"64", "4096"} {
		b.Run("size="+size, func(b *testing.B) {
			least := [2]float64{1e9, 1e9}
			for b.Loop() {
				for i, env := range [][]string{nil, {"LD_PRELOAD=" + l, FolderVariable + "=" + dir, RateVariable + "=524288"}} {
					cmd := exec.CommandContext(b.Context(), program, "5000000", size)
					cmd.Env = append(os.Environ(), env...)
					out, err := cmd.Output()
					if err != nil {
						b.Fatal(err)
					}
					ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
					if err != nil {
						b.Fatal(err)
					}
					least[i] = min(least[i], ns)
				}
			}
			b.ReportMetric(least[0], "plain-ns")
			b.ReportMetric(least[1], "counted-ns")
		})
	}
}
