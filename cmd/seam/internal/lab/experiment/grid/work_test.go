package grid

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/internal/testenv"
)

// counts are those of the grid and the edges of both loops.
func counts() []int64 {
	list := []int64{-1, 0, 1, 2, 3, searchHigh}
	for _, row := range reference.Grid {
		list = append(list, row.Count)
	}
	return list
}

func TestAllWaysReturnTheSame(t *testing.T) {
	for _, k := range kinds {
		for _, count := range counts() {
			want := foldGo(count)
			if k == nofold {
				want = nofoldGo(count)
			}
			for _, v := range vias {
				t.Run(fmt.Sprintf("%s/%d/%s", k, count, v), func(t *testing.T) {
					op, err := newOp(k, v, count)
					if skip := new(lab.NotMeasured); errors.As(err, &skip) {
						if os.Getenv("SEAM_WANT_LEAF") == "assembly" {
							t.Fatalf("not measured where everything can be: %s", skip.Reason)
						}
						t.Skip(skip.Reason)
					}
					if err != nil {
						t.Fatal(err)
					}
					for _, n := range []int{1, 3} {
						sink = 0
						op.Run(n)
						if sink != int64(n)*want {
							t.Errorf("%d calls sum to %d, want %d", n, sink, int64(n)*want)
						}
					}
				})
			}
		}
	}
}

func TestFoldIsTheSum(t *testing.T) {
	for count, want := range map[int64]int64{-1: 0, 0: 0, 1: 1, 2: 3, 10: 55, 10000: 50005000} {
		if got := foldGo(count); got != want {
			t.Errorf("foldGo(%d) = %d, want %d", count, got, want)
		}
	}
}

// The C compiler must keep both promises of work.h: no loop in fold, and one
// step at a time in nofold.
func TestCompiledC(t *testing.T) {
	cc, err := exec.Command("go", "env", "CC").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	gcc := strings.Fields(string(cc))
	for _, tool := range []string{gcc[0], "objdump"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	object := filepath.Join(t.TempDir(), "work.o")
	if out, err := exec.Command(gcc[0], append(gcc[1:], "-O2", "-c", "work.c", "-o", object)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("objdump", "-d", "--no-show-raw-insn", object).Output()
	if err != nil {
		t.Skip("objdump can't read this system's objects: ", err)
	}
	code := string(out)

	for _, name := range []string{"seam_grid_fold", "seam_grid_fold_args"} {
		if n := len(loops(t, code, name)); n != 0 {
			t.Errorf("%s has %d loops, want the formula", name, n)
		}
	}
	for _, name := range []string{"seam_grid_nofold", "seam_grid_nofold_args"} {
		found := loops(t, code, name)
		if len(found) != 1 {
			t.Errorf("%s has %d loops, want 1", name, len(found))
			continue
		}
		if n := len(multiply.FindAllString(found[0], -1)); n != 1 {
			t.Errorf("%s multiplies %d times in its loop, want once:\n%s", name, n, found[0])
		}
	}
}

// TestCompiledGo does the same for Go.
func TestCompiledGo(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("reads the assembly of amd64 and arm64 only")
	}
	testenv.Tool(t, "go")
	object := filepath.Join(t.TempDir(), "grid.a")
	if out, err := exec.Command("go", "build", "-o", object, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]int{"foldGo": 0, "nofoldGo": 1} {
		out, err := exec.Command("go", "tool", "objdump", "-s", `grid\.`+name+`$`, object).Output()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(out), "TEXT") {
			t.Fatalf("no function %s in the object: it was inlined away", name)
		}
		if n := len(multiply.FindAllString(string(out), -1)); n != want {
			t.Errorf("%s multiplies %d times, want %d:\n%s", name, n, want, out)
		}
	}
}

var multiply = regexp.MustCompile(`(?i)\b(imulq?|madd|mul)\b`)

var (
	instruction = regexp.MustCompile(`(?m)^\s*([0-9a-f]+):\s+(.*)$`)
	jump        = regexp.MustCompile(`^(?:j[a-z]+|b|b\.[a-z]+|cbn?z|tbn?z)\s.*?\b([0-9a-f]+) <`)
)

// loops returns the code between each backward jump and its target, in one
// function of objdump's output.
func loops(t *testing.T, code, function string) []string {
	t.Helper()
	_, body, ok := strings.Cut(code, "<"+function+">:\n")
	if !ok {
		t.Fatalf("no function %s in the object", function)
	}
	body, _, _ = strings.Cut(body, "\n\n")
	var list, lines []string
	start := map[uint64]int{}
	for _, m := range instruction.FindAllStringSubmatch(body, -1) {
		at, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		start[at] = len(lines)
		lines = append(lines, m[2])
		j := jump.FindStringSubmatch(m[2])
		if j == nil {
			continue
		}
		target, err := strconv.ParseUint(j[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if first, ok := start[target]; ok && target <= at {
			list = append(list, strings.Join(lines[first:], "\n"))
		}
	}
	return list
}

// A reader of loops that finds none anywhere would pass the test of fold.
func TestLoopsAreSeen(t *testing.T) {
	const code = `
0000000000000020 <f>:
  20:	xor    %edx,%edx
  40:	imul   %rsi,%rax
  58:	jne    40 <f+0x20>
  5a:	ret

0000000000000060 <g>:
  60:	js     64 <g+0x4>
  62:	nop
  64:	ret
`
	if got := loops(t, code, "f"); len(got) != 1 || !strings.HasPrefix(got[0], "imul") {
		t.Errorf("loops of f: %q, want the one from imul on", got)
	}
	if got := loops(t, code, "g"); len(got) != 0 {
		t.Errorf("loops of g: %q, want none", got)
	}
}
