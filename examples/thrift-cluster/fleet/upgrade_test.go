package fleet_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seamgo/seam/examples/thrift-cluster/fleet"
	"github.com/seamgo/seam/internal/testenv"
)

// What the next version of the program does with its IDL: file, what is there, and what takes
// its place.
var nextVersion = [][3]string{
	// The server answers with what the old one doesn't know,
	{"shop/shop.go", "o.Id = int64(len(s.of[user])) + 1",
		"o.Id, o.Status, o.Gifts = int64(len(s.of[user]))+1, statusPointer(orders.Status_TAKEN), []*orders.Line{{Article: \"ribbon\", Quantity: 1}}"},
	{"shop/shop.go", "// Of lists a user's orders.", `func statusPointer(s orders.Status) *orders.Status { return &s }

// Status tells how far an order has come.
func (s *Shop) Status(ctx context.Context, user string, id int64) (orders.Status, error) {
	o, err := s.Get(ctx, user, id)
	if err != nil {
		return 0, err
	}
	return o.GetStatus(), nil
}

// Of lists a user's orders.`},
	{"shop/shop.go", "&orders.Missing{Id: id}", "&orders.Missing{Id: id, Hint: &user}"},
	// and so does the client ask.
	{"load/load.go", `{Article: "paper", Quantity: 1, Price: 450}`, `{Article: "paper", Quantity: 1, Price: 450, Note: &user}`},
}

// build builds the next version of the program: the same sources with the next IDL.
func build(t *testing.T) (program string) {
	t.Helper()
	root := testenv.Repository(t)
	dir := t.TempDir()
	goRun := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), testenv.Tool(t, "go"), args...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	idl := filepath.Join(dir, "orders.thrift")
	text, err := os.ReadFile("testdata/next.thrift")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(idl, text, 0o644); err != nil {
		t.Fatal(err)
	}
	example := filepath.Join(root, "examples", "thrift-cluster")
	// It is safe: no change breaks data or calls between the versions. Notes may be.
	t.Logf("seam gen diff says:\n%s", goRun("run", "./cmd/seam", "gen", "diff", filepath.Join(example, "orders.thrift"), idl))
	goRun("run", "./cmd/seam", "gen", "--kitex", "--package-prefix", "github.com/seamgo/seam/examples/thrift-cluster/kitex_gen", "-o", filepath.Join(dir, "kitex_gen"), idl)

	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, folder := range []string{"orders", "orders/orders"} {
		for _, where := range []string{filepath.Join(example, "kitex_gen", folder), filepath.Join(dir, "kitex_gen", folder)} {
			files, err := filepath.Glob(filepath.Join(where, "*.go"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%s has %q, %v", where, files, err)
			}
			for _, f := range files {
				// A file that the next version has not is none.
				with := filepath.Join(dir, "kitex_gen", folder, filepath.Base(f))
				if _, err := os.Stat(with); err != nil {
					with = ""
				}
				overlay.Replace[filepath.Join(example, "kitex_gen", folder, filepath.Base(f))] = with
			}
		}
	}
	for _, change := range nextVersion {
		file := filepath.Join(example, change[0])
		from := file
		if overlay.Replace[file] != "" {
			from = overlay.Replace[file]
		}
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b, []byte(change[1])); n != 1 {
			t.Fatalf("%s has %q %d times", file, change[1], n)
		}
		with := filepath.Join(dir, strings.ReplaceAll(change[0], "/", "_"))
		if err := os.WriteFile(with, bytes.Replace(b, []byte(change[1]), []byte(change[2]), 1), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[file] = with
	}
	list := filepath.Join(dir, "overlay.json")
	b, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list, b, 0o644); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "next")
	goRun("build", "-overlay", list, "-o", program, "./examples/thrift-cluster")
	return program
}

// A cluster goes to a new version of its IDL and back while clients of both versions call it:
// no call fails, and every order is there, once. The journals of the servers are read by both
// versions, too.
func TestRollingUpgrade(t *testing.T) {
	testenv.OtherProgram(t)
	if testing.Short() {
		t.Skip("builds the program")
	}
	testenv.Tool(t, "etcd")
	next := build(t)
	s := newScene(t, "")
	// The old version's client is the test's own.
	var said bytes.Buffer
	client := exec.CommandContext(t.Context(), next, "load", "-at", s.Place(), "-callers", "4", "-for", "1h")
	client.Stdout, client.Stderr = &said, &said
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended {
			_ = client.Process.Kill()
			_ = client.Wait()
		}
	}()
	current := append([]*fleet.Server(nil), s.Servers...)
	for _, step := range []struct {
		what    string
		command func() *exec.Cmd
	}{
		{"a new server", func() *exec.Cmd { return exec.Command(next, "serve") }},
		{"an old server again", func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"=1")
			return cmd
		}},
	} {
		for i, server := range current {
			if err := server.Drain(); err != nil {
				t.Fatalf("draining: %v", err)
			}
			another, err := s.AddProgram(t.Context(), step.command(), server.Journal)
			if err != nil {
				t.Fatal(err)
			}
			current[i] = another
			eventually(t, step.what+" takes orders", s.takesOrders(another))
			s.goesOn("with " + step.what)
		}
	}
	if err := client.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := client.Wait()
	ended = true
	if err != nil {
		t.Errorf("the new client: %v", err)
	}
	table := regexp.MustCompile(`(?m)^ *\d+ +(\d+) .* (\d+)(?:  .*)?$`).FindAllStringSubmatch(said.String(), -1)
	calls := 0
	for _, line := range table {
		if line[1] != "0" {
			calls++
		}
		if line[2] != "0" {
			t.Errorf("calls of the new client failed: %s", line[0])
		}
	}
	if calls == 0 || strings.Contains(said.String(), " × ") {
		t.Errorf("the new client says:\n%s", &said)
	}
	s.check()
	for text, n := range s.load.Errors() {
		t.Errorf("the old client: %d × %s", n, text)
	}
}
