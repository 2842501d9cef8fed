//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package torture

import (
	"bytes"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/seamgo/seam/internal/torture/cside"
)

// wire gives a step the descriptor it needs, and a goroutine at the other end.
func (s *stage) wire(st step, to *cside.Step) error {
	switch st.code {
	case cside.Read, cside.Recv, cside.Write, cside.Poll, cside.Lost:
	default:
		return nil
	}
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	to.FD = int32(fds[0])
	syscall.SetNonblock(fds[1], true)
	far := os.NewFile(uintptr(fds[1]), "far end")
	pause := time.Duration(st.value % 200_000)
	s.close = append(s.close, func() { far.Close() })
	if st.code != cside.Lost {
		s.close = append(s.close, func() { cside.Close(fds[0]) })
	}
	s.beside.Go(func() {
		time.Sleep(pause)
		switch st.code {
		case cside.Lost:
			cside.Close(fds[0])
		case cside.Poll:
			if st.value%2 == 0 {
				far.Write([]byte{1})
			}
		case cside.Write:
			got := make([]byte, st.n)
			if _, err := io.ReadFull(far, got); err == nil && !bytes.Equal(got, bytesOf(st.value, int(st.n))) {
				s.m.wrong(s.o, "C wrote something else")
			}
		default:
			far.Write(bytesOf(st.value, int(st.n))) // fails if C gives up
		}
	})
	return nil
}
