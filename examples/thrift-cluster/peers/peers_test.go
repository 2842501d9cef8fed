//go:build seam_thrift_peers

package peers

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/kitex/pkg/klog"

	"github.com/seamgo/seam/examples/internal/servers"
	"github.com/seamgo/seam/examples/thrift-cluster/place"
	"github.com/seamgo/seam/examples/thrift-cluster/shop"
)

// The versions of Apache's libraries; the compiler is Debian's, whose code for Java
// needs the library of its own version.
const (
	pythonThrift = "thrift==0.24.0"
	javaThrift   = "org.apache.thrift:libthrift:0.17.0"
	javaLogging  = "org.slf4j:slf4j-api:2.0.17"
)

func run(line ...string) error {
	out, err := exec.Command(line[0], line[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(line, " "), err, out)
	}
	return nil
}

func buildPython(dir string) ([]string, error) {
	if err := run("thrift", "-out", dir, "-gen", "py", "../orders.thrift"); err != nil {
		return nil, err
	}
	venv := filepath.Join(dir, "venv")
	if err := run("python3", "-m", "venv", venv); err != nil {
		return nil, err
	}
	python := filepath.Join(venv, "bin", "python")
	return []string{"env", "PYTHONPATH=" + dir, python, "python/client.py"}, run(python, "-m", "pip", "install", "-q", pythonThrift)
}

func buildJava(dir string) ([]string, error) {
	// Without a package for Java its classes would be in none.
	idl, err := os.ReadFile("../orders.thrift")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "orders.thrift")
	if err := os.WriteFile(file, append([]byte("namespace java orders\n"), idl...), 0o666); err != nil {
		return nil, err
	}
	if err := run("thrift", "-out", dir, "-gen", "java:generated_annotations=suppress", file); err != nil {
		return nil, err
	}
	for _, artifact := range []string{javaThrift, javaLogging} {
		if err := run("mvn", "-q", "-B", "dependency:copy", "-Dartifact="+artifact, "-DoutputDirectory="+dir); err != nil {
			return nil, err
		}
	}
	sources, err := filepath.Glob(filepath.Join(dir, "orders", "*.java"))
	if err != nil {
		return nil, err
	}
	path := dir + string(filepath.ListSeparator) + filepath.Join(dir, "*")
	err = run(append([]string{"javac", "-nowarn", "-encoding", "UTF-8", "-cp", path, "-d", dir, "java/Client.java"}, sources...)...)
	return []string{"java", "-XX:TieredStopAtLevel=1", "-cp", path, "Client"}, err
}

// Apache's clients call a server of a cluster, and seam's own, at its address.
func TestApachesClients(t *testing.T) {
	klog.SetOutput(io.Discard)
	etcd, err := servers.Etcd(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer etcd.Stop()
	clients := map[string][]string{}
	for name, build := range map[string]func(string) ([]string, error){"python": buildPython, "java": buildJava} {
		if clients[name], err = build(t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		line  string
		wires []string
	}{
		{"cluster:" + etcd.Address(), []string{"binary framed", "compact framed", "binary buffered"}},
		{"tcp:127.0.0.1:0", []string{"binary framed", "compact framed", "binary buffered", "compact buffered"}},
	} {
		p, err := place.Parse(c.line)
		if err != nil {
			t.Fatal(err)
		}
		// The users of each server are its own.
		own, err := shop.Open(filepath.Join(t.TempDir(), "journal"))
		if err != nil {
			t.Fatal(err)
		}
		server, err := p.Serve(own, place.ServeOptions{Grace: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		host, port, err := net.SplitHostPort(server.Address())
		if err != nil {
			t.Fatal(err)
		}
		for name, line := range clients {
			for _, wire := range c.wires {
				args := append(append(line[:len(line):len(line)], strings.Fields(wire)...), host, port)
				cmd := exec.Command(args[0], args[1:]...)
				var stderr strings.Builder
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if err != nil || strings.TrimSpace(string(out)) != "ok" {
					t.Errorf("%s, %s, %s: %v\n%s%s", c.line, name, wire, err, out, &stderr)
				}
			}
		}
		if err := server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := own.Close(); err != nil {
			t.Error(err)
		}
	}
}
