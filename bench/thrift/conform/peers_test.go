//go:build seam_thrift_peers

package conform

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The versions of Apache's libraries. Debian has but one for C++.
const (
	pythonThrift = "thrift==0.24.0"
	javaThrift   = "org.apache.thrift:libthrift:0.24.0"
	javaLogging  = "org.slf4j:slf4j-api:2.0.17"
	javaHTTP     = "org.apache.httpcomponents.client5:httpclient5:5.4.4"
	javaHTTPCore = "org.apache.httpcomponents.core5:httpcore5:5.3.4"
)

// A peer is a program of peers/, built once for all tests.
type peer struct {
	name  string
	uuids uuids
	build func(dir string) ([]string, error) // gives the command line to which arguments are added

	once sync.Once
	line []string
	err  error
}

var peers = []*peer{
	{name: "cpp", build: buildCPP},
	{name: "python", uuids: allUUIDs, build: buildPython},
	// TProtocol.getMinSerializedSize of Java's library does not know them, so it takes
	// no list of them.
	{name: "java", uuids: plainUUIDs, build: buildJava},
}

// workDir holds what is built.
var workDir string

func TestMain(m *testing.M) {
	var err error
	if workDir, err = os.MkdirTemp("", "seam-conform-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(workDir)
	os.Exit(code)
}

// command is the peer's program with arguments.
func (p *peer) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	p.once.Do(func() {
		dir := filepath.Join(workDir, p.name)
		if p.err = os.Mkdir(dir, 0o777); p.err == nil {
			p.line, p.err = p.build(dir)
		}
	})
	if p.err != nil {
		t.Fatalf("building the peer in %s: %v", p.name, p.err)
	}
	line := append(p.line[:len(p.line):len(p.line)], args...)
	return exec.Command(line[0], line[1:]...)
}

// run runs a command line and says what it said if it fails.
func run(line ...string) (string, error) {
	out, err := exec.Command(line[0], line[1:]...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(line, " "), err, out)
	}
	return strings.TrimSpace(string(out)), err
}

// newCompiler is Apache's compiler that knows uuid.
func newCompiler() (string, error) {
	c := exec.Command("../apache-compiler")
	c.Stderr = os.Stderr
	out, err := c.Output()
	return strings.TrimSpace(string(out)), err
}

// buildCPP uses Debian's compiler and library.
func buildCPP(dir string) ([]string, error) {
	idl, err := os.ReadFile("conform.thrift")
	if err != nil {
		return nil, err
	}
	var known []string
	for line := range strings.Lines(string(idl)) {
		if !strings.Contains(line, "// UUID") {
			known = append(known, line)
		}
	}
	file := filepath.Join(dir, "conform.thrift")
	if err := os.WriteFile(file, []byte(strings.Join(known, "")), 0o666); err != nil {
		return nil, err
	}
	if _, err := run("thrift", "-out", dir, "-gen", "cpp:no_skeleton", file); err != nil {
		return nil, err
	}
	sources, err := filepath.Glob(filepath.Join(dir, "*.cpp"))
	if err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "peer")
	_, err = run(append([]string{"g++", "-std=c++17", "-w", "-I", dir, "-o", program, "peers/cpp/peer.cpp", "-pthread"}, append(sources, "-lthriftz", "-lthrift", "-lz")...)...)
	return []string{program}, err
}

func buildPython(dir string) ([]string, error) {
	compiler, err := newCompiler()
	if err != nil {
		return nil, err
	}
	if _, err := run(compiler, "-out", dir, "-gen", "py", "conform.thrift"); err != nil {
		return nil, err
	}
	venv := filepath.Join(dir, "venv")
	if _, err := run("python3", "-m", "venv", venv); err != nil {
		return nil, err
	}
	python := filepath.Join(venv, "bin", "python")
	if _, err := run(python, "-m", "pip", "install", "-q", pythonThrift); err != nil {
		return nil, err
	}
	return []string{"env", "PYTHONPATH=" + dir, python, "peers/python/peer.py"}, nil
}

func buildJava(dir string) ([]string, error) {
	compiler, err := newCompiler()
	if err != nil {
		return nil, err
	}
	if _, err := run(compiler, "-out", dir, "-gen", "java:generated_annotations=suppress", "conform.thrift"); err != nil {
		return nil, err
	}
	for _, artifact := range []string{javaThrift, javaLogging, javaHTTP, javaHTTPCore} {
		if _, err := run("mvn", "-q", "-B", "dependency:copy", "-Dartifact="+artifact, "-DoutputDirectory="+dir); err != nil {
			return nil, err
		}
	}
	sources, err := filepath.Glob(filepath.Join(dir, "conform", "*.java"))
	if err != nil {
		return nil, err
	}
	path := dir + string(filepath.ListSeparator) + filepath.Join(dir, "*")
	_, err = run(append([]string{"javac", "-nowarn", "-cp", path, "-d", dir, "peers/java/Peer.java"}, sources...)...)
	return []string{"java", "-XX:TieredStopAtLevel=1", "-cp", path, "Peer"}, err
}

// codec starts a peer that writes again what it reads.
func (p *peer) codec(t *testing.T, protocol string) func([]byte) ([]byte, error) {
	t.Helper()
	return p.converse(t, "codec", protocol)
}

// converse starts a peer that answers messages.
func (p *peer) converse(t *testing.T, args ...string) func([]byte) ([]byte, error) {
	t.Helper()
	c := p.command(t, args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil && !t.Failed() {
			t.Errorf("%s: %v\n%s", p.name, err, stderr.Bytes())
		}
	})
	r := bufio.NewReader(out)
	return func(message []byte) ([]byte, error) {
		if _, err := in.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...)); err != nil {
			return nil, err
		}
		var length [4]byte
		if _, err := io.ReadFull(r, length[:]); err != nil {
			c.Process.Kill()
			c.Wait()
			return nil, fmt.Errorf("%w\n%s", err, stderr.Bytes())
		}
		answer := make([]byte, binary.BigEndian.Uint32(length[:]))
		_, err := io.ReadFull(r, answer)
		return answer, err
	}
}

// What our code writes, Apache's libraries read; what they write of it, ours reads and
// writes again, and they read that too.
func TestPeersReadAndWrite(t *testing.T) {
	const values = 300
	for _, p := range peers {
		for _, protocol := range protocols {
			t.Run(p.name+"/"+protocol.name, func(t *testing.T) {
				again := p.codec(t, protocol.name)
				for seed := range uint64(values) {
					want := filler{rand.New(rand.NewPCG(seed, 2)), p.uuids, p.name == "cpp" && protocol.name == "json"}.everything()
					ours, err := protocol.append(want, nil)
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					// Twice: the second time of what the peer itself has written.
					for turn := range 2 {
						theirs, err := again(ours)
						if err != nil {
							t.Fatalf("seed %d, turn %d: %v", seed, turn, err)
						}
						got := new(Everything)
						if err := protocol.decode(got, theirs); err != nil {
							t.Fatalf("seed %d, turn %d: %v", seed, turn, err)
						}
						if d := difference(got, want); d != "" {
							t.Fatalf("seed %d, turn %d: %s", seed, turn, d)
						}
						if ours, err = protocol.append(got, nil); err != nil {
							t.Fatalf("seed %d, turn %d: %v", seed, turn, err)
						}
					}
				}
			})
		}
	}
}
