package ring

import (
	"bufio"
	"errors"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
)

// How long it takes from kill -9 of a peer until the other side has its error: one that waits,
// and one that writes a record each millisecond and never has to wait. Those in C and Python
// end with it, which counts too. go test -run '^$' -bench Death -benchtime 200x ./ring
func BenchmarkDeath(b *testing.B) {
	ours := func(use func(c *Conn) error) func(b *testing.B) time.Duration {
		return func(b *testing.B) time.Duration {
			c, cmd, said := startPeer(b, "hang", 0, Options{Capacity: 1 << 21})
			if _, err := c.Reader().Next(forever); err != nil {
				b.Fatalf("%v\n%s", err, said)
			}
			noticed := make(chan time.Time)
			go func() {
				err := error(nil)
				for err == nil {
					err = use(c)
				}
				if !errors.Is(err, ErrGone) {
					b.Error(err)
				}
				noticed <- time.Now()
			}()
			time.Sleep(5 * time.Millisecond)
			killed := time.Now()
			cmd.Process.Kill()
			took := (<-noticed).Sub(killed)
			cmd.Wait()
			c.Close()
			return took
		}
	}
	theirs := func(command func(b *testing.B) *exec.Cmd) func(b *testing.B) time.Duration {
		return func(b *testing.B) time.Duration {
			hang, cmd := peer(b, "hang", 0, "serve", "capacity=2097152"), command(b)
			out, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			_, said := both(b, hang, cmd)
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
				b.Fatalf("%q, %v\n%s", line, err, said)
			}
			time.Sleep(5 * time.Millisecond)
			killed := time.Now()
			hang.Process.Kill()
			err = cmd.Wait()
			took := time.Since(killed)
			hang.Wait()
			if err != nil {
				b.Fatalf("%v\n%s", err, said)
			}
			return took
		}
	}
	for _, x := range []struct {
		name string
		once func(b *testing.B) time.Duration
	}{
		{"go/waits", ours(func(c *Conn) error { _, err := c.Reader().Next(forever); return err })},
		{"go/writes", ours(func(c *Conn) error { time.Sleep(time.Millisecond); return c.Writer().Send(forever, nil) })},
		{"c/waits", theirs(func(b *testing.B) *exec.Cmd { return peer(b, "awaits", 0) })},
		{"c/writes", theirs(func(b *testing.B) *exec.Cmd { return peer(b, "lonely", 0) })},
		{"python/waits", theirs(func(b *testing.B) *exec.Cmd { return pythonPeer(b, "awaits") })},
		{"python/writes", theirs(func(b *testing.B) *exec.Cmd { return pythonPeer(b, "lonely") })},
	} {
		b.Run(x.name, func(b *testing.B) {
			if len(child.Emulator()) > 0 {
				b.Skip("an emulator's times are its own")
			}
			var all []time.Duration
			for range b.N {
				all = append(all, x.once(b))
			}
			slices.Sort(all)
			b.ReportMetric(0, "ns/op") // which would be mostly the start of processes
			b.ReportMetric(float64(all[len(all)/2])/1e6, "p50-ms")
			b.ReportMetric(float64(all[len(all)-1])/1e6, "max-ms")
		})
	}
}
