//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

//seam:test race nocgo toolchains

package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/seamgo/seam/coro/netio"
	"github.com/seamgo/seam/internal/child"
)

// maxMemory is what a program may take at most, in bytes.
const maxMemory = 2 << 30

// TestTorture runs programs one after another: for SEAM_TORTURE minutes with random
// seeds, or only that of SEAM_TORTURE_SEED, or else the same few each time.
//
// A program that fails is run again by the line that is printed. It is the same program
// then, but what it does at once need not come in the same order.
func TestTorture(t *testing.T) {
	if os.Getenv(asProgram) != "" {
		t.Skip("this process is a program")
	}
	if s := os.Getenv("SEAM_TORTURE_SEED"); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		oneProgram(t, seed, true)
		return
	}
	minutes := os.Getenv("SEAM_TORTURE")
	if minutes == "" {
		n := uint64(12)
		if testing.Short() {
			n = 3
		}
		for seed := range n {
			oneProgram(t, seed, false)
		}
		return
	}
	limit, err := strconv.ParseFloat(minutes, 64)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for begun := time.Now(); time.Since(begun).Minutes() < limit; n++ {
		oneProgram(t, rand.Uint64()>>32, false)
	}
	t.Logf("%d programs", n)
}

const asProgram = "SEAM_TORTURE_PROGRAM"

// oneProgram runs the program of a seed.
func oneProgram(t *testing.T, seed uint64, show bool) {
	cmd := child.Self(t, "-test.run=^TestProgram$", "-test.v", "-test.timeout=0")
	set := settings(seed)
	cmd.Env = append(os.Environ(), append(set, fmt.Sprintf("%s=%d", asProgram, seed), "GOTRACEBACK=all", "GOMEMLIMIT=1GiB")...)
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	if show {
		t.Logf("%s\n%s", strings.Join(set, " "), out)
	}
	again := fmt.Sprintf("SEAM_TORTURE_SEED=%d go test -count=1 -v ./internal/torture", seed)
	if err != nil {
		t.Errorf("seed %d: %v after %v, with %s; to run it again:\n\t%s\n%s", seed, err, time.Since(begun).Round(time.Second), strings.Join(set, " "), again, ends(out))
		return
	}
	if !strings.Contains(string(out), "--- PASS: TestProgram") {
		t.Errorf("seed %d: it did not come to its end:\n%s", seed, ends(out))
	}
	if used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10; used > maxMemory {
		t.Errorf("seed %d: %d MB of memory; to run it again:\n\t%s", seed, used>>20, again)
	}
}

// ends is what is worth reading of a child's output: the beginning and the end.
func ends(out []byte) string {
	const most = 60 << 10
	if len(out) <= 2*most {
		return string(out)
	}
	return fmt.Sprintf("%s\n… %d bytes …\n%s", out[:most], len(out)-2*most, out[len(out)-most:])
}

// TestProgram is a program: see oneProgram.
func TestProgram(t *testing.T) {
	s := os.Getenv(asProgram)
	if s == "" {
		t.Skip("TestTorture runs this in processes of its own")
	}
	seed, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	program(t, seed)
}

// The same seed gives the same program, and each kind of operation and step is drawn.
func TestDraw(t *testing.T) {
	kinds, steps := map[kind]int{}, map[int]int{}
	var count func(o *op)
	count = func(o *op) {
		kinds[o.kind]++
		for _, k := range o.kids {
			count(k)
		}
		for _, s := range o.steps {
			if steps[s.code]++; s.kid != nil {
				count(s.kid)
			}
		}
	}
	for seed := range uint64(300) {
		a, b := newArtist(seed, 0).tree(), newArtist(seed, 0).tree()
		if a.String() != b.String() || a.want() != b.want() {
			t.Fatalf("seed %d gives\n%v\nand\n%v", seed, a, b)
		}
		count(a)
	}
	if len(kinds) != kindCount || len(steps) != len(stepNames) {
		t.Errorf("%d of %d kinds and %d of %d steps are drawn: %v, %v", len(kinds), kindCount, len(steps), len(stepNames), kinds, steps)
	}
}
