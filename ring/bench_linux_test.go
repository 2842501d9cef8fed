package ring

import (
	"io"
	"slices"
	"testing"
	"time"
)

// Questions of 64 bytes to a process in C and its answers, when both ends look for each
// other, when both sleep, and over a Unix socket.
func BenchmarkRoundTripProcess(b *testing.B) {
	rec := make([]byte, 64)
	for _, c := range []struct {
		name, role string
		o          Options
	}{
		{"spin", "echo", Options{}},
		{"park", "echo-asleep", Options{Spin: -1}},
		{"park/untrusted", "echo-asleep", Options{Spin: -1, Untrusted: true}},
	} {
		b.Run("via=seam/op="+c.name, func(b *testing.B) {
			conn, cmd, said := startPeer(b, c.role, 0, c.o)
			times(b, func() error {
				if err := conn.Writer().Send(forever, rec); err != nil {
					return err
				}
				_, err := conn.Reader().Next(forever)
				return err
			})
			conn.Writer().Close()
			if err := cmd.Wait(); err != nil {
				b.Errorf("%v\n%s", err, said)
			}
		})
	}
	b.Run("via=unix", func(b *testing.B) {
		sock, cmd, _ := launchPeer(b, "echo-socket", 0)
		times(b, func() error {
			if _, err := sock.Write(rec); err != nil {
				return err
			}
			_, err := io.ReadFull(sock, rec)
			return err
		})
		sock.Close()
		cmd.Wait()
	})
}

// times measures each run of f, for the median and the 99th percentile.
func times(b *testing.B, f func() error) {
	each := make([]time.Duration, b.N)
	b.ResetTimer()
	for i := range b.N {
		start := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		each[i] = time.Since(start)
	}
	b.StopTimer()
	slices.Sort(each)
	b.ReportMetric(float64(each[b.N/2]), "p50-ns")
	b.ReportMetric(float64(each[b.N*99/100]), "p99-ns")
}

// Records of 64 bytes to a process in C, which takes them.
func BenchmarkThroughputProcess(b *testing.B) {
	for _, c := range []struct {
		name  string
		batch int
	}{{"batch=1", 1}, {"batch=64", 64}} {
		b.Run(c.name, func(b *testing.B) {
			conn, cmd, said := startPeer(b, "drain", b.N, Options{Capacity: 1 << 20})
			rec := make([]byte, 64)
			b.ResetTimer()
			for i := range b.N {
				if err := conn.Writer().Append(forever, rec); err != nil {
					b.Fatal(err)
				}
				if i%c.batch == c.batch-1 {
					conn.Writer().Flush()
				}
			}
			conn.Writer().Flush()
			if _, err := conn.Reader().Next(forever); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			if err := cmd.Wait(); err != nil {
				b.Errorf("%v\n%s", err, said)
			}
		})
	}
}
