package overlay

import (
	"os/exec"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// Package runtime is right to the compiler and go vet with the tracer in it.
func TestVet(t *testing.T) {
	env, err := gotool.ReadEnv(t.Context(), "go", ".")
	if err != nil {
		t.Fatal(err)
	}
	root, err := gotool.OverlayRoot(env.GOROOT, env.GOMODCACHE, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	name, err := Write(t.TempDir(), root, env.GOVERSION, "")
	if err != nil {
		t.Fatal(err)
	}
	vet := exec.Command(root+"/bin/go", "vet", "-unsafeptr=false", "-overlay="+name, "runtime") // as the runtime's own tests do
	vet.Env = append(vet.Environ(), "GOROOT="+root, "GOTOOLCHAIN=local")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
