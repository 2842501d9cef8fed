//seam:test toolchains

package bundle_test

import (
	"embed"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/gcstress"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaks"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/trace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// What is bundled is Go, imports only what package runtime/cgo imports, and has no
// names that package runtime/cgo or the user could have.
func TestGoFitsIntoPackageCgo(t *testing.T) {
	for name, runtime := range map[string]func(goarch string) (toolexec.Runtime, error){
		"leaf": leaf.Runtime, "trace": trace.Runtime.Transform(nil, embed.FS{}).Runtime, "leaks": leaks.Runtime.Transform(nil, embed.FS{}).Runtime,
		"gcstress": gcstress.Runtime.Transform(nil, embed.FS{}).Runtime,
	} {
		for _, goarch := range []string{"amd64", "arm64"} {
			r, err := runtime(goarch)
			if err != nil {
				t.Fatal(err)
			}
			check(t, name, r.Go, "sync", "sync/atomic", "unsafe")
			if len(r.WithRuntime) > 0 {
				check(t, name, r.WithRuntime, "runtime", "sync/atomic")
			}
		}
	}
}

func check(t *testing.T, name string, src []byte, imports ...string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if file.Name.Name != "cgo" {
		t.Errorf("%s is of package %s", name, file.Name.Name)
	}
	for _, spec := range file.Imports {
		if path := strings.Trim(spec.Path.Value, `"`); !slices.Contains(imports, path) {
			t.Errorf("%s imports %s", name, path)
		}
	}
	for object := range file.Scope.Objects {
		if !strings.HasPrefix(strings.ToLower(object), "seam") && object != "init" {
			t.Errorf("%s declares %s", name, object)
		}
	}
	if m := regexp.MustCompile(`\b\w+\.Seam\w*`).Find(src); m != nil {
		t.Errorf("%s has %s of another package", name, m)
	}
}
