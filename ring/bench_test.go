package ring

import (
	"context"
	"fmt"
	"testing"
)

// What a record of 64 bytes costs between two goroutines, next to a channel. b.N records
// go through; the time is that until the last one has been read.
func BenchmarkThroughput(b *testing.B) {
	for _, size := range []int{8, 64, 1024, 65536} {
		for _, batch := range []int{1, 64} {
			b.Run(fmt.Sprintf("size=%d/batch=%d", size, batch), func(b *testing.B) {
				w, r, err := New(1<<20, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(size))
				ctx := context.Background()
				go func() {
					rec := make([]byte, size)
					for i := range b.N {
						if err := w.Append(ctx, rec); err != nil {
							panic(err)
						}
						if i%batch == batch-1 {
							w.Flush()
						}
					}
					w.Close()
				}()
				sum := 0
				for range b.N {
					rec, err := r.Next(ctx)
					if err != nil {
						b.Fatal(err)
					}
					sum += len(rec)
				}
				if sum != b.N*size {
					b.Fatal(sum)
				}
			})
		}
	}
	b.Run("size=64/via=channel", func(b *testing.B) {
		c := make(chan [64]byte, 1024)
		go func() {
			for range b.N {
				c <- [64]byte{}
			}
		}()
		for range b.N {
			<-c
		}
	})
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, o := range []struct {
		name string
		spin Options
	}{{"spin", Options{}}, {"park", Options{Spin: -1}}} {
		b.Run(o.name, func(b *testing.B) {
			there, here, err := New(4096, o.spin)
			if err != nil {
				b.Fatal(err)
			}
			back, home, err := New(4096, o.spin)
			if err != nil {
				b.Fatal(err)
			}
			ctx := context.Background()
			go func() {
				for {
					rec, err := here.Next(ctx)
					if err != nil {
						return
					}
					if err := back.Send(ctx, rec); err != nil {
						return
					}
				}
			}()
			rec := make([]byte, 64)
			for range b.N {
				if err := there.Send(ctx, rec); err != nil {
					b.Fatal(err)
				}
				if _, err := home.Next(ctx); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			there.Close()
			b.ReportMetric(float64(there.Stats().ReaderSleeps)/float64(b.N), "sleeps/op")
		})
	}
}
