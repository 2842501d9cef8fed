//go:build linux && cgo

package blocking

import (
	"encoding/binary"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A watcher is a goroutine that wants to run at fixed times. Sleeping would be
// measured with the runtime's timers, which are no better than a millisecond
// where a thread waits for them in epoll_wait.
type watcher struct {
	fd     int // of timer: File.Fd would make it block
	timer  *os.File
	period time.Duration
	late   []float64 // ns, of every tick
}

func newWatcher(period time.Duration) (*watcher, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	return &watcher{fd: fd, timer: os.NewFile(uintptr(fd), "timer"), period: period}, nil
}

// watch notes for that long how late it runs. A tick that was missed because
// an earlier one was served late counts with its own lateness.
func (w *watcher) watch(long time.Duration) error {
	defer w.timer.Close()
	start, err := monotonic()
	if err != nil {
		return err
	}
	next := start + int64(w.period)
	every := unix.ItimerSpec{Interval: unix.NsecToTimespec(int64(w.period)), Value: unix.NsecToTimespec(next)}
	if err := unix.TimerfdSettime(w.fd, unix.TFD_TIMER_ABSTIME, &every, nil); err != nil {
		return os.NewSyscallError("timerfd_settime", err)
	}
	var fired [8]byte
	for next < start+int64(long) {
		if _, err := w.timer.Read(fired[:]); err != nil {
			return fmt.Errorf("wait for a timer: %w", err)
		}
		now, err := monotonic()
		if err != nil {
			return err
		}
		for range binary.NativeEndian.Uint64(fired[:]) {
			w.late = append(w.late, float64(now-next))
			next += int64(w.period)
		}
	}
	return nil
}

func monotonic() (int64, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0, os.NewSyscallError("clock_gettime", err)
	}
	return t.Nano(), nil
}
