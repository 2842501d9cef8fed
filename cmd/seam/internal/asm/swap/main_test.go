package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// The committed kernels are those that this program writes.
func TestKernelsAreUpToDate(t *testing.T) {
	asm, stubs, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"kernels_amd64.s": asm, "kernels_amd64.go": stubs} {
		got, err := os.ReadFile(filepath.Join(testenv.Repository(t), "thrift/internal/swap", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go generate ./thrift/internal/swap", name)
		}
	}
}

func TestRunWritesBothFiles(t *testing.T) {
	dir := t.TempDir()
	asm, stubs := filepath.Join(dir, "k.s"), filepath.Join(dir, "k.go")
	if err := run(asm, ""); err == nil {
		t.Error("one file is enough, want an error")
	}
	if err := run(asm, stubs); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{asm: "TEXT ·reverse64(SB)", stubs: "func reverse64("} {
		if got, err := os.ReadFile(name); err != nil || !bytes.Contains(got, []byte(want)) {
			t.Errorf("%s has no %q (%v)", name, want, err)
		}
	}
}
