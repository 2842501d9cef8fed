//go:build unix && seam_servers

//seam:test native

package servers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// With childEnv set the test binary starts that server, tells where it is and
// waits to be killed.
const childEnv = "SEAM_TEST_SERVER_CHILD"

var starters = map[string]func(context.Context) (*Server, error){"redis": Redis, "postgres": Postgres, "etcd": Etcd}

func TestMain(m *testing.M) {
	start := starters[os.Getenv(childEnv)]
	if start == nil {
		os.Exit(m.Run())
	}
	s, err := start(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.process.cmd.Process.Pid, s.dir)
	select {}
}

func TestRedis(t *testing.T) {
	s, err := Redis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	for _, c := range []net.Conn{dial(t, "tcp", s.Address()), dial(t, "unix", s.Socket)} {
		fmt.Fprint(c, "PING\r\n")
		if line, err := bufio.NewReader(c).ReadString('\n'); line != "+PONG\r\n" {
			t.Errorf("%s answers %q, %v to PING", c.RemoteAddr(), line, err)
		}
		defer c.Close() // the server must end all the same
	}
	stopsWhole(t, s)
}

func TestPostgres(t *testing.T) {
	s, err := Postgres(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	for _, c := range []net.Conn{dial(t, "tcp", s.Address()), dial(t, "unix", fmt.Sprintf("%s/.s.PGSQL.%d", s.Socket, s.Port))} {
		// The first message of protocol 3: length, version, names and values.
		const names = "user\x00postgres\x00database\x00postgres\x00\x00"
		fmt.Fprintf(c, "\x00\x00\x00%c\x00\x03\x00\x00%s", 8+len(names), names)
		answer := make([]byte, 9)
		if _, err := io.ReadFull(c, answer); err != nil || string(answer) != "R\x00\x00\x00\x08\x00\x00\x00\x00" {
			t.Errorf("%s answers %q, %v: want that no password is needed", c.RemoteAddr(), answer, err)
		}
		defer c.Close() // the server must end all the same
	}
	stopsWhole(t, s)
}

// What etcd keeps is there again after a crash, at the same address.
func TestEtcd(t *testing.T) {
	s, err := Etcd(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	ask := func(function, request string) string {
		t.Helper()
		r, err := http.Post("http://"+s.Address()+"/v3/kv/"+function, "application/json", strings.NewReader(request))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %q, %v", function, r.Status, b, err)
		}
		return string(b)
	}
	ask("put", `{"key": "c2VhbQ==", "value": "c2VhbQ=="}`)
	s.Crash()
	if c, err := net.Dial("tcp", s.Address()); err == nil {
		c.Close()
		t.Error("it answers after a crash")
	}
	var other net.Listener
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) { // a connection may have got the port for its own end
		if other, err = net.Listen("tcp", s.Address()); err == nil {
			break
		}
		if time.Since(begun) > 2*patience {
			t.Fatal(err)
		}
	}
	time.AfterFunc(time.Second, func() { other.Close() })
	if err := s.Again(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ask("range", `{"key": "c2VhbQ=="}`); !strings.Contains(got, `"value":"c2VhbQ=="`) {
		t.Errorf("%s", got)
	}
	stopsWhole(t, s)
}

func dial(t *testing.T, network, address string) net.Conn {
	t.Helper()
	c, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(patience))
	return c
}

// stopsWhole checks that nothing is left of a server.
func stopsWhole(t *testing.T, s *Server) {
	t.Helper()
	s.Stop()
	s.Stop()
	if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder %s is still there: %v", s.dir, err)
	}
	if c, err := net.Dial("tcp", s.Address()); err == nil {
		c.Close()
		t.Errorf("something still answers at %s", s.Address())
	}
}

// A server must not outlive its parent, even one that could not stop it.
func TestEndsWithItsParent(t *testing.T) {
	for name := range starters {
		t.Run(name, func(t *testing.T) {
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), childEnv+"="+name)
			child.Stderr = os.Stderr
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			var pid int
			var dir string
			_, err = fmt.Fscan(out, &pid, &dir)
			child.Process.Kill()
			child.Wait()
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			deadline := time.Now().Add(patience)
			for alive(pid) {
				if time.Now().After(deadline) {
					syscall.Kill(pid, syscall.SIGKILL)
					t.Fatalf("%s, process %d, runs on without its parent", name, pid)
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

// alive reports whether a process runs. One that is not our child may wait as a
// zombie for the process that inherits it.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func TestMissingProgramNamesThePackage(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Redis(t.Context()); err == nil || !strings.Contains(err.Error(), "apt-get install redis-server") {
		t.Errorf("without redis-server the error is %v", err)
	}
	if _, err := Etcd(t.Context()); err == nil || !strings.Contains(err.Error(), "apt-get install etcd-server") {
		t.Errorf("without etcd the error is %v", err)
	}
	if _, err := postgresProgram("seam-no-such-program"); err == nil || !strings.Contains(err.Error(), "apt-get install postgresql") {
		t.Errorf("without PostgreSQL the error is %v", err)
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, start := range starters {
		if s, err := start(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: started %v, error %v, want context.Canceled", name, s, err)
		}
	}
}

// A port that is taken is told from other failures, and another one is tried.
func TestTakenPort(t *testing.T) {
	shell := func(script string) *exec.Cmd { return exec.Command("/bin/sh", "-c", script) }
	tries := 0
	p, _, err := startOnFreePort(t.Context(), func(int) (*process, error) {
		if tries++; tries < 3 {
			return run(shell("echo bind: Address already in use; exit 1"), syscall.SIGKILL)
		}
		return run(shell("echo ready to accept connections; exec sleep 1000"), syscall.SIGKILL)
	})
	if err != nil || tries != 3 {
		t.Fatalf("%d tries, error %v, want 3 and none", tries, err)
	}
	p.end(syscall.SIGTERM)
	_, _, err = startOnFreePort(t.Context(), func(int) (*process, error) {
		tries++
		return run(shell("echo no memory; exit 7"), syscall.SIGKILL)
	})
	if err == nil || tries != 4 || !strings.Contains(err.Error(), "exit status 7") || !strings.Contains(err.Error(), "no memory") {
		t.Errorf("after %d tries the error is %v, want one after the fourth, with the output", tries, err)
	}
}
