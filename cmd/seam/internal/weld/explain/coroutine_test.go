package explain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/internal/testenv"
)

// What seam bind writes of functions that run as coroutines is explained: it is what the examples have.
func TestCoroutines(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1") // the file is only read
	root := testenv.Repository(t)
	source, err := os.ReadFile(filepath.Join(root, "examples", "hiredis", "hiredis", "hiredis.go"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	// One function has another mode, and a stack of its own.
	changed := strings.Replace(string(source), "C.seam_redisConnectUnix_address()), parked, 0}", "C.seam_redisConnectUnix_address()), inSession, 65536}", 1)
	if changed == string(source) {
		t.Fatal("the example has no redisConnectUnix as a coroutine")
	}
	for name, source := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.25\n", "redis/redis.go": changed} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Go: "go", Dir: dir, CgoEnabled: true, Flags: []string{"-mod=mod", "-tags=seam_servers"}}
	for target, want := range map[string][]string{
		"./redis.redisConnect": {"How a call of redisConnect travels", "mode park", "Go code calls Connect or RawConnect", "cRawConnect.call(ctx, unsafe.Pointer(&args))", "the goroutine waits without one"},
		"./redis.ConnectUnix":  {"How a call of redisConnectUnix travels", "mode session", "65536 bytes"},
	} {
		d, err := Explain(t.Context(), o, target)
		if err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		got := strings.Join(strings.Fields(textOf(t, d, text.Options{})), " ")
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in\n%s", target, w, got)
			}
		}
	}
	p, _, err := find(t.Context(), o, "./redis")
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := coroutineFunctions(p)
	if err != nil || len(list) < 3 {
		t.Fatalf("%d functions, %v", len(list), err)
	}
	got := strings.Join(strings.Fields(textOf(t, &Doc{Sections: []Section{coroutineTable(p, list)}}, text.Options{})), " ")
	for _, w := range []string{"as coroutines of package coro", "redisConnect park Connect, RawConnect", "redisConnectUnix session ConnectUnix, RawConnectUnix"} {
		if !strings.Contains(got, w) {
			t.Errorf("no %q in\n%s", w, got)
		}
	}
}
