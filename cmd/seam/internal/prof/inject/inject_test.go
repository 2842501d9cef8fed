package inject

import (
	"os/exec"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// What is added to the standard library is right to the compiler and go vet, in the place where it
// is compiled, with C and without.
func TestVet(t *testing.T) {
	env, err := gotool.ReadEnv(t.Context(), "go", ".")
	if err != nil {
		t.Fatal(err)
	}
	goroot, err := gotool.OverlayRoot(env.GOROOT, env.GOMODCACHE, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &Build{dir: t.TempDir()}
	overlay, err := gotool.ReadOverlay("")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.standard(overlay, goroot); err != nil {
		t.Fatal(err)
	}
	name, err := overlay.Write(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, cgo := range []string{"1", "0"} {
		vet := exec.Command(goroot+"/bin/go", "vet", "-overlay="+name, "runtime/pprof", "container/ring", "testing/internal/testdeps")
		vet.Env = append(vet.Environ(), "GOROOT="+goroot, "GOTOOLCHAIN=local", "CGO_ENABLED="+cgo)
		if out, err := vet.CombinedOutput(); err != nil {
			t.Errorf("CGO_ENABLED=%s: %v\n%s", cgo, err, out)
		}
	}
}
