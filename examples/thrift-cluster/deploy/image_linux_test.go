package deploy

import (
	"bufio"
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/examples/thrift-cluster/place"
)

// buildLine is the command by which the Dockerfile builds the program.
func buildLine(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(string(b), "\\\n", " "), "\n") {
		if command, ok := strings.CutPrefix(line, "RUN "); ok && strings.Contains(command, "go build") {
			return command
		}
	}
	t.Fatal("the Dockerfile builds nothing")
	return ""
}

// The image has the program and an empty folder: built by the Dockerfile's own command, it
// needs no library and serves in a root without anything else.
func TestImage(t *testing.T) {
	if os.Getenv("SEAM_SOAK") == "" {
		t.Skip("compiles all of it again, without libc's resolver (SEAM_SOAK=1)")
	}
	root := t.TempDir()
	program := filepath.Join(root, "thrift-cluster")
	line := strings.Replace(buildLine(t), "-o /thrift-cluster", "-o "+program, 1)
	build := exec.CommandContext(t.Context(), "sh", "-c", line)
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	libraries, err := f.ImportedLibraries()
	if err != nil || len(libraries) > 0 || f.Section(".interp") != nil {
		t.Errorf("the program is not static: it wants %v, %v", libraries, err)
	}
	f.Close()
	if err := os.Mkdir(filepath.Join(root, "data"), 0o777); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		t.Skip("only root may run it in a root of its own")
	}
	// As the image's user, who is not root.
	if err := os.Chown(filepath.Join(root, "data"), 65532, 65532); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/thrift-cluster", "serve")
	cmd.Env = []string{"ORDERS_JOURNAL=/data/orders.journal", "ORDERS_PLACE=tcp:127.0.0.1:0", "ORDERS_ADMIN=127.0.0.1:0"}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it does not serve: %v, %v", err, cmd.Wait())
	}
	p, err := place.Parse("tcp:" + strings.TrimSpace(strings.TrimPrefix(first, "serving at ")))
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Dial(place.DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if n, err := c.Counters(t.Context()); err != nil || n["orders"] != 0 {
		t.Errorf("it says %v, %v", n, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}
