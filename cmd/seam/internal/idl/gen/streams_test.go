package gen

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// Functions of every mode are generated, and answer: testdata/streams/streams_test.go.txt.
func TestStreamsAnswer(t *testing.T) {
	program, err := os.ReadFile("testdata/streams/streams_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	progs, errs := model.Load([]string{"testdata/streams/feed.thrift"}, model.Options{KeepStreams: true})
	if errs.Fatal() {
		t.Fatal(errs)
	}
	module := newModule(t, "app")
	files, err := Generate(progs, Options{Out: module, PackagePrefix: "app"})
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, files)
	if err := os.WriteFile(filepath.Join(module, "streams_test.go"), program, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"vet", "test"} {
		if out, err := goIn(module, command, "./..."); err != nil {
			t.Fatalf("go %s: %v\n%s", command, err, out)
		}
	}
	// What is written for a stream has no messages of arguments and results.
	for _, f := range files {
		if bytes.Contains(f.Text, []byte("feedJoinArgs")) || bytes.Contains(f.Text, []byte("handleJoin")) {
			t.Errorf("%s has messages for a stream:\n%s", f.Path, f.Text)
		}
	}
}

// Which functions there is something to say about.
func TestStreamsAreWarnedOf(t *testing.T) {
	for text, want := range map[string][2]string{ // kept, not kept
		`S f(1: S a) (streaming.mode = "client")`:                           {"", "needs the binary protocol"},
		`S f(1: S a) (streaming.mode = "client", seam.idempotent = "true")`: {"seam.idempotent does nothing", "needs the binary protocol"},
		`S f(1: S a) (streaming.mode = "client", seam.shard = "a")`:         {"seam.shard does nothing", "needs the binary protocol"},
		`S f(1: S a) (streaming.mode = "unary")`:                            {"HTTP/2", "HTTP/2"},
		`S f(1: S a)`:                                                       {"", ""},
	} {
		for i, keep := range []bool{true, false} {
			progs := []byte("struct S {} service V { " + text + " }")
			_, errs := model.Load([]string{"a.thrift"}, model.Options{KeepStreams: keep, ReadFile: func(string) ([]byte, error) { return progs, nil }})
			var all []string
			for _, e := range errs {
				if strings.Contains(e.Error(), "stream") {
					all = append(all, e.Error())
				}
			}
			if got := strings.Join(all, "\n"); !strings.Contains(got, want[i]) || (got == "") != (want[i] == "") {
				t.Errorf("%s (kept: %v): %q, want %q", text, keep, got, want[i])
			}
		}
	}
}
