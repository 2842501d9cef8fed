//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/dl"
	"github.com/seamgo/seam/examples/dl-cuda/cuda"
	"github.com/seamgo/seam/internal/testenv"
)

// substitute compiles the library that stands in for CUDA's.
func substitute(t *testing.T) string {
	t.Helper()
	cc := map[string]string{"amd64": "gcc", "arm64": "aarch64-linux-gnu-gcc"}[runtime.GOARCH]
	if runtime.GOARCH == "arm64" {
		if _, err := exec.LookPath(cc); err != nil {
			cc = "gcc"
		}
	}
	testenv.Tool(t, cc)
	lib := filepath.Join(t.TempDir(), "libsubstitute.so")
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-Wall", "-o", lib, "testdata/substitute.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return lib
}

// A driver that stands in for CUDA's gets what CUDA would get, and all that was made is freed, also after failures.
func TestRun(t *testing.T) {
	lib := substitute(t)
	left := func() int32 {
		t.Helper()
		type args struct {
			Result int32 `dl:"result"`
		}
		f, err := dl.Of[args](cuda.Lib, "substitute_left")
		if err != nil {
			t.Fatal(err)
		}
		a := args{}
		f.Call(&a)
		return a.Result
	}
	var out bytes.Buffer
	const want = "CUDA 12.4, 1 devices\n0: substitute, 64 MiB\n0: 4 MiB there and back\n"
	if err := run(&out, lib); err != nil || out.String() != want || left() != 0 {
		t.Errorf("%q, %v, %d left; want %q", &out, err, left(), want)
	}
	t.Setenv("SUBSTITUTE_FULL", "1")
	if err := run(&out, lib); err == nil || !strings.Contains(err.Error(), "device 0: cuMemAlloc_v2: out of memory (2)") || left() != 0 {
		t.Errorf("without memory: %v, %d left", err, left())
	}
	t.Setenv("SUBSTITUTE_NO_DEVICE", "1")
	if err := run(&out, lib); err == nil || err.Error() != "cuInit: no CUDA-capable device is detected (100)" {
		t.Errorf("without a device: %v", err)
	}
	if err := run(&out, filepath.Join(t.TempDir(), "libcuda.so.1")); err == nil || !strings.Contains(err.Error(), "there is no driver of CUDA here") {
		t.Errorf("without a driver: %v", err)
	}
}
