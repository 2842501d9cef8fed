package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// benchfile writes what twelve runs of go test say of one benchmark around ns.
func benchfile(t *testing.T, name string, ns float64) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("goos: linux\ngoarch: amd64\n\n")
	for i := range 12 {
		fmt.Fprintf(&b, "Benchmark%s 1000 %.3f ns/op\nPASS\n", name, ns*(1+0.002*float64(i%4)))
	}
	path := filepath.Join(t.TempDir(), "run.txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCompareExitCodes(t *testing.T) {
	old, slower, other := benchfile(t, "Call/via=cgo", 30), benchfile(t, "Call/via=cgo", 36), benchfile(t, "Else", 1)
	one := filepath.Join(t.TempDir(), "one.txt")
	if err := os.WriteFile(one, []byte("BenchmarkA 1 10 ns/op\nBenchmarkA 1 11 ns/op\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"schema":"seam.lab/99"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name      string
		args      []string
		code      int
		out, says string
	}{
		{"same", []string{old, old}, exitOK, "Call/via=cgo", ""},
		{"faster", []string{slower, old}, exitOK, "Call/via=cgo", ""},
		{"slower", []string{old, slower}, exitFinding, "Call/via=cgo", "proven slower, and measured so by more than 5%"},
		{"slower, accepted", []string{old, slower, "--threshold", "30%"}, exitOK, "Call/via=cgo", ""},
		{"slower, accepted as a fraction", []string{"--threshold=0.3", old, slower}, exitOK, "Call/via=cgo", ""},
		{"nothing in common", []string{old, other}, exitUsage, "", "common"},
		{"another schema", []string{old, bad}, exitUsage, "", "seam.lab/99"},
		{"no such file", []string{old, bad + "x"}, exitUsage, "", "no such file"},
		{"one process", []string{one, one}, exitFailed, "one process: not compared", "nothing was compared"},
		{"one file", []string{old}, exitUsage, "", "file of the later run"},
		{"both from standard input", []string{"-", "-"}, exitUsage, "", "only once"},
		{"threshold that is no number", []string{old, slower, "--threshold", "much"}, exitUsage, "", "not a threshold"},
		{"threshold below 0", []string{old, slower, "--threshold=-1%"}, exitUsage, "", "not a threshold"},
		{"threshold that may be meant as percent", []string{old, slower, "--threshold", "5"}, exitUsage, "", "write 5%"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seam(t, append([]string{"lab", "compare"}, tt.args...)...).must(t, tt.code, tt.out, tt.says)
		})
	}
}

func TestCompareFromStandardInput(t *testing.T) {
	old, slower := benchfile(t, "Call/via=cgo", 30), benchfile(t, "Call/via=cgo", 36)
	text, err := os.ReadFile(slower)
	if err != nil {
		t.Fatal(err)
	}
	seamIn(t.Context(), string(text), synthetic, "lab", "compare", old, "-").must(t, exitFinding, "Call/via=cgo", "slower")
}
