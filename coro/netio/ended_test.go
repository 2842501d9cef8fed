//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro/netio/internal/ctest"
)

// C that opens a FIFO, reads or writes a stream that another process may have at its other end, or gives pages to a pipe,
// waits for Go here: so it must not keep a processor, which the collection shows.
func TestEndedByGo(t *testing.T) {
	needCoroutines(t)
	for name, runner := range runners(t) {
		for how := range ctest.EndedCount {
			t.Run(fmt.Sprint(name, "/", how), func(t *testing.T) {
				r, w := pipe(t)
				path, fd, ends, want := "", r, func() { write(t, w, "42\n") }, int64(0)
				switch how {
				case ctest.EndedOpen, ctest.EndedOpenat, ctest.EndedOpen64:
					path = filepath.Join(t.TempDir(), "fifo")
					check(t, syscall.Mkfifo(path, 0o600))
					ends, want = func() { check(t, os.WriteFile(path, []byte("x"), 0)) }, 'x'
				case ctest.EndedFgets, ctest.EndedGetline:
					want = 3
				case ctest.EndedFread:
					want = 2
				case ctest.EndedFgetc:
					want = '4'
				default:
					want = 1 << 17
					fd, ends = w, func() { readAll(t, r, int(want)) }
				}
				args := ctest.NewEnded(path, fd, how)
				defer args.Free()
				ended := make(chan int64)
				go func() {
					n, err := runner.Call(t.Context(), ctest.Ended, unsafe.Pointer(args))
					if err != nil {
						t.Error(err)
					}
					ended <- n
				}()
				until(t, "C runs", func() bool { return atomic.LoadInt32(&args.Started) != 0 })
				time.Sleep(2 * time.Millisecond) // it is likely to wait
				runtime.GC()
				ends()
				if n := <-ended; n != want {
					t.Errorf("%d, not %d", n, want)
				}
			})
		}
	}
}
