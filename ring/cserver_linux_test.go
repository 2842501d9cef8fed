package ring

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

// howToWake are the words by which peer.c wakes in each of waysToWake.
var howToWake = map[string][]string{"eventfd": nil, "socket": {"untrusted"}}

// A process in C makes the rings and Go connects.
func TestCServes(t *testing.T) {
	for name, how := range howToWake {
		for _, spin := range []time.Duration{0, -1} {
			t.Run(name, func(t *testing.T) {
				sock, cmd, said := launchPeer(t, "echo", 0, append(how, "serve", "capacity=4096")...)
				c, err := Connect(forever, sock, Options{Spin: spin})
				if err != nil {
					t.Fatal(err, said)
				}
				defer c.Close()
				if n := c.Reader().Stats().Capacity; n != 4096 {
					t.Errorf("a capacity of %d bytes", n)
				}
				for i := range 2000 {
					if err := c.Writer().Send(forever, bytesOf(i)); err != nil {
						t.Fatal(err)
					}
					if rec, err := c.Reader().Next(forever); err != nil || !bytes.Equal(rec, bytesOf(i)) {
						t.Fatalf("record %d: %d bytes, %v", i, len(rec), err)
					}
				}
				c.Writer().Close()
				if _, err := c.Reader().Next(forever); err != io.EOF {
					t.Errorf("at the end: %v", err)
				}
				ended(t, cmd, said)
			})
		}
	}
}

// A Go side that distrusts its server in C is woken through the socket.
func TestCServesUntrusting(t *testing.T) {
	sock, cmd, said := launchPeer(t, "echo", 0, "serve")
	c, err := Connect(forever, sock, Options{Untrusted: true})
	if err != nil {
		t.Fatal(err, said)
	}
	defer c.Close()
	for i := range 200 {
		if err := c.Writer().Send(forever, bytesOf(i)); err != nil {
			t.Fatal(err)
		}
		if rec, err := c.Reader().Next(forever); err != nil || !bytes.Equal(rec, bytesOf(i)) {
			t.Fatalf("record %d: %d bytes, %v", i, len(rec), err)
		}
	}
	c.Writer().Close()
	ended(t, cmd, said)
}

// both starts two programs with a socket between them.
func both(t testing.TB, a, b *exec.Cmd) (saidA, saidB *bytes.Buffer) {
	t.Helper()
	one, two := sockets(t)
	saidA = launchWith(t, a, one)
	return saidA, launchWith(t, b, two)
}

// Two processes in C, the one that makes the rings on either side.
func TestCToC(t *testing.T) {
	for name, how := range howToWake {
		for _, who := range []string{"echo serves", "drive serves"} {
			t.Run(name+"/"+who, func(t *testing.T) {
				echo, drive := peer(t, "echo", 0, how...), peer(t, "drive", 2000)
				if who == "echo serves" {
					echo.Args = append(echo.Args, "serve", "capacity=1024")
				} else {
					drive.Args = append(drive.Args, "serve", "capacity=1024")
				}
				saidEcho, saidDrive := both(t, echo, drive)
				ended(t, drive, saidDrive)
				ended(t, echo, saidEcho)
			})
		}
	}
}

// What a server in C says of peers that can't be peers, and what it says to them; nothing is
// left of them (peer.c looks).
func TestCServerRefuses(t *testing.T) {
	good := Options{}.hello()
	with := func(change func(*hello)) []byte { h := good; change(&h); return h.bytes() }
	for _, c := range []struct {
		name  string
		hello []byte
		want  string
		told  status
	}{
		{"another protocol", make([]byte, helloSize), "doesn't speak this protocol", accepted},
		{"another version", with(func(h *hello) { h.version = 7 }), "another version (0x7)", otherVersion},
		{"another layout", with(func(h *hello) { h.layout = 7 }), "another layout (0x7)", otherLayout},
		{"unknown features", with(func(h *hello) { h.features = 1 << 40 }), "(0x10000000000)", otherFeatures},
		{"refuses", with(func(h *hello) { h.status = badMemory }), "refused", accepted},
	} {
		t.Run(c.name, func(t *testing.T) {
			sock, cmd, said := launchPeer(t, "echo", 0, "serve")
			defer sock.Close()
			sock.Write(c.hello)
			refused(t, cmd, said, c.want)
			if h, err := receive(sock); err != nil || h.status != c.told {
				t.Errorf("it was told %v, %v; want %v", h.status, err, c.told)
			}
		})
	}
	t.Run("silence", func(t *testing.T) {
		sock, cmd, said := launchPeer(t, "echo", 0, "serve", "timeout=20")
		defer sock.Close()
		refused(t, cmd, said, "silent")
	})
	t.Run("silence before the answer", func(t *testing.T) {
		sock, cmd, said := launchPeer(t, "echo", 0, "serve", "timeout=20")
		defer sock.Close()
		sock.Write(good.bytes())
		refused(t, cmd, said, "silent")
	})
	t.Run("a capacity that can't be", func(t *testing.T) {
		sock, cmd, said := launchPeer(t, "echo", 0, "serve", "capacity=1000")
		defer sock.Close()
		refused(t, cmd, said, "power of two")
	})
	t.Run("above the limit", func(t *testing.T) {
		sock, cmd, said := launchPeer(t, "echo", 0, "serve", "capacity=8192")
		if _, err := Connect(forever, sock, Options{MaxCapacity: 4096}); !errors.Is(err, ErrMismatch) {
			t.Error(err)
		}
		refused(t, cmd, said, "refused")
	})
}

func refused(t *testing.T, cmd *exec.Cmd, said *bytes.Buffer, want string) {
	t.Helper()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(said.String(), want) {
		t.Errorf("%v, want %q\n%s", err, want, said)
	}
}

// steps are what a connector can have done when it ends: nothing, half of its greeting, all
// of it, all and taken the memory.
var steps = []func(t *testing.T, sock *net.UnixConn){
	func(*testing.T, *net.UnixConn) {},
	func(t *testing.T, sock *net.UnixConn) { sock.Write(Options{}.hello().bytes()[:20]) },
	func(t *testing.T, sock *net.UnixConn) { sock.Write(Options{}.hello().bytes()) },
	func(t *testing.T, sock *net.UnixConn) {
		sock.Write(Options{}.hello().bytes())
		_, fds, err := receiveFDs(sock)
		closeAll(fds)
		if err != nil {
			t.Error(err)
		}
	},
	func(t *testing.T, sock *net.UnixConn) {
		sock.Write(Options{}.hello().bytes())
		_, fds, err := receiveFDs(sock)
		closeAll(fds)
		if err != nil {
			t.Error(err)
		}
		sock.Write(Options{}.hello().bytes()[:63])
	},
}

// A connector that ends between any two steps of the set-up is an error of the server, in
// either language, and leaves nothing there.
func TestConnectorEnds(t *testing.T) {
	for i, step := range steps {
		t.Run(fmt.Sprintf("go/%d", i), func(t *testing.T) {
			before, mapped := descriptors(t), mappings(t)
			a, b := sockets(t)
			done := make(chan error)
			go func() {
				_, err := Serve(forever, a, Options{})
				done <- err
			}()
			step(t, b)
			b.Close()
			if err := <-done; err == nil || errors.Is(err, ErrMismatch) {
				t.Error(err)
			}
			if n := descriptors(t); n > before {
				t.Errorf("%d descriptors are left", n-before)
			}
			for deadline := time.Now().Add(time.Minute); mappings(t) > mapped; runtime.GC() {
				if time.Now().After(deadline) {
					t.Fatal("rings are still mapped")
				}
			}
		})
		t.Run(fmt.Sprintf("c/%d", i), func(t *testing.T) {
			sock, cmd, said := launchPeer(t, "echo", 0, "serve")
			step(t, sock)
			sock.Close()
			refused(t, cmd, said, "hung up")
		})
	}
}

// A writer in C that never has to wait notices that the other process has been killed.
func TestCWriterNoticesDeath(t *testing.T) {
	for name, how := range howToWake {
		t.Run(name, func(t *testing.T) {
			hang, lonely := peer(t, "hang", 0, append(how, "serve", "capacity=2097152")...), peer(t, "lonely", 0)
			out, err := lonely.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			_, said := both(t, hang, lonely)
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v\n%s", line, err, said)
			}
			hang.Process.Kill()
			hang.Wait()
			ended(t, lonely, said)
		})
	}
}

// And for that it doesn't make a system call for each record.
func TestCWriterLooksSeldom(t *testing.T) {
	const n = 100000
	c, cmd, said := startPeer(t, "busy", n, Options{Capacity: 1 << 20})
	for i := range n {
		if _, err := c.Reader().Next(forever); err != nil {
			t.Fatalf("record %d: %v\n%s", i, err, said)
		}
	}
	ended(t, cmd, said)
}

// numberedRecord is what peer.c makes for a writer that drops the oldest.
func numberedRecord(i int) []byte {
	p := binary.LittleEndian.AppendUint32(nil, uint32(i))
	for k := 4; k < 4+i%41; k++ {
		p = append(p, byte(i+k))
	}
	return p
}

// C drops the oldest records that Go hasn't come to, and the other way about, no matter who serves,
// and while the ring back doesn't.
func TestCDrops(t *testing.T) {
	const n = 30000
	for name, o := range waysToWake {
		o.Capacity = 256
		t.Run(name+"/C writes", func(t *testing.T) {
			sock, cmd, said := launchPeer(t, "produce-dropping", n, "drop")
			c := serveLaunched(t, sock, cmd, said, o)
			next, got := 0, 0
			for {
				rec, err := c.Reader().Next(forever)
				if err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%v\n%s", err, said)
				}
				i := int(binary.LittleEndian.Uint32(rec))
				if i < next || !bytes.Equal(rec, numberedRecord(i)) {
					t.Fatalf("record %d of %d bytes, after %d", i, len(rec), next-1)
				}
				next, got = i+1, got+1
			}
			if d := c.Reader().Stats().Dropped; next != n || int(d) != n-got {
				t.Errorf("the last is %d, %d were read and %d dropped", next-1, got, d)
			}
			if c.Writer().full != Block {
				t.Error("the ring back drops too")
			}
			c.Close()
			ended(t, cmd, said)
		})
		t.Run(name+"/Go writes", func(t *testing.T) {
			sock, cmd, said := launchPeer(t, "consume-dropped", n, append(howToWake[name], "serve", "capacity=256")...)
			o.Full = DropOldest
			c, err := Connect(forever, sock, o)
			if err != nil {
				t.Fatal(err, said)
			}
			defer c.Close()
			for i := range n {
				for {
					err := c.Writer().Send(forever, numberedRecord(i))
					if err == nil {
						break
					} else if err != ErrFull {
						t.Fatalf("record %d: %v\n%s", i, err, said)
					}
					runtime.Gosched()
				}
			}
			c.Writer().Close()
			ended(t, cmd, said)
		})
	}
}

// The same between two threads of C.
func TestCLocalDrops(t *testing.T) {
	testenv.OtherProgram(t)
	if out, err := peer(t, "local-drop", 30000).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Python serves C and Go, and is served by C.
func TestPythonServes(t *testing.T) {
	t.Run("go", func(t *testing.T) {
		for _, role := range []string{"serve_echo", "serve_untrusted_echo"} {
			sock, cmd, said := launchPython(t, role)
			c, err := Connect(forever, sock, Options{})
			if err != nil {
				t.Fatal(err, said)
			}
			if n := c.Reader().Stats().Capacity; n != 4096 {
				t.Errorf("a capacity of %d bytes", n)
			}
			for i := range 100 {
				if err := c.Writer().Send(forever, bytesOf(i)); err != nil {
					t.Fatal(err, said)
				}
				if rec, err := c.Reader().Next(forever); err != nil || !bytes.Equal(rec, bytesOf(i)) {
					t.Fatalf("record %d: %d bytes, %v\n%s", i, len(rec), err, said)
				}
			}
			c.Writer().Close()
			ended(t, cmd, said)
			c.Close()
		}
	})
	t.Run("c", func(t *testing.T) {
		drive, python := peer(t, "drive", 200), pythonPeer(t, "serve_echo")
		saidPython, saidDrive := both(t, python, drive)
		ended(t, drive, saidDrive)
		ended(t, python, saidPython)
	})
	t.Run("by c", func(t *testing.T) {
		drive, python := peer(t, "drive", 200, "serve"), pythonPeer(t, "echo")
		saidPython, saidDrive := both(t, python, drive)
		ended(t, drive, saidDrive)
		ended(t, python, saidPython)
	})
	t.Run("silence", func(t *testing.T) {
		sock, cmd, said := launchPython(t, "serve_silence")
		defer sock.Close()
		ended(t, cmd, said)
	})
}

// Python drops the oldest, and reads what Go has left.
func TestPythonDrops(t *testing.T) {
	c, cmd, said := startPython(t, "drops", Options{Capacity: 256, Full: DropOldest})
	if rec, err := c.Reader().Next(forever); err != nil || string(rec) != "ready" {
		t.Fatalf("%q, %v\n%s", rec, err, said)
	}
	c.Reader().Release() // or it could never be dropped
	for i := range 100 {
		for c.Writer().Send(forever, numberedRecord(i)) == ErrFull {
			runtime.Gosched()
		}
	}
	c.Writer().Close()
	ended(t, cmd, said)
	last := -1
	for {
		rec, err := c.Reader().Next(forever)
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		i := int(binary.LittleEndian.Uint32(rec))
		if i <= last {
			t.Fatalf("%d after %d", i, last)
		}
		last = i
	}
	if last != 99 || c.Reader().Stats().Dropped == 0 {
		t.Errorf("the last is %d, and %d were dropped", last, c.Reader().Stats().Dropped)
	}
}

// A writer in Python that never has to wait notices that the other process has been killed.
func TestPythonWriterNoticesDeath(t *testing.T) {
	if len(child.Emulator()) > 0 {
		t.Skip("there is no Python for the emulator")
	}
	hang, lonely := peer(t, "hang", 0, "serve", "capacity=2097152"), pythonPeer(t, "lonely")
	out, err := lonely.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	_, said := both(t, hang, lonely)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v\n%s", line, err, said)
	}
	hang.Process.Kill()
	hang.Wait()
	ended(t, lonely, said)
}
