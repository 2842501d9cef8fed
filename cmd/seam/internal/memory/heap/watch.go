package heap

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A watch is the looks at one process's record.
type watch struct {
	name    string // of the record, without its ending
	last    *Record
	at      []time.Duration // since the process began
	live    [][]int64       // of each look: bytes by site
	damaged error
}

// mostLooks are kept where nobody asked for a step: twice as many are thinned out to these.
const mostLooks = 60

func (w *watch) add(r *Record, at time.Duration) {
	w.last = r
	live := make([]int64, len(r.Sites))
	for i := range r.Sites {
		live[i] = r.Sites[i].Live
	}
	w.at = append(w.at, at)
	w.live = append(w.live, live)
}

func (w *watch) thin() {
	if len(w.at) < 2*mostLooks {
		return
	}
	n := 0
	for i := 0; i < len(w.at)-1; i += 2 {
		w.at[n], w.live[n] = w.at[i], w.live[i]
		n++
	}
	w.at[n], w.live[n] = w.at[len(w.at)-1], w.live[len(w.live)-1]
	w.at, w.live = w.at[:n+1], w.live[:n+1]
}

// index is the last look that is not later than some time after the first.
func (w *watch) index(after time.Duration) int {
	i := 0
	for i+1 < len(w.at) && w.at[i+1]-w.at[0] <= after {
		i++
	}
	return i
}

// before is what was live then.
func (w *watch) before(after time.Duration) []int64 { return w.live[w.index(after)] }

func of(live []int64, site int) uint64 {
	if site >= len(live) {
		return 0
	}
	return uint64(max(0, live[site]))
}

// wall is the time between the first look and the last.
func (w *watch) wall() time.Duration { return w.at[len(w.at)-1] - w.at[0] }

// moments are some of the looks, evenly over time, with the last of the first quarter.
func (w *watch) moments() (list []int) {
	const most = 24
	step := max(1, w.wall()/most)
	quarter := w.index(w.wall() / 4)
	for i, next := 0, time.Duration(0); i < len(w.at); i++ {
		if at := w.at[i] - w.at[0]; at >= next || i == quarter || i == len(w.at)-1 {
			list = append(list, i)
			next = at - at%step + step
		}
	}
	return list
}

// A Watcher reads the records of a folder again and again.
type Watcher struct {
	dir     string
	pid     int // instead of a folder
	own     []Function
	ended   bool
	watches map[string]*watch
	silent  map[string]silent
}

// A silent process has loaded the library and can't record.
type silent struct {
	pid int
	exe string
	err syscall.Errno // 0: it has AddressSanitizer
}

func (s silent) why() string {
	switch s.err {
	case 0:
		return "AddressSanitizer has an allocator of its own"
	case syscall.EFBIG:
		return "its files may not be as large as a record is (ulimit -f)"
	case syscall.EMFILE, syscall.ENFILE:
		return "it may open no more files (ulimit -n)"
	case syscall.ENOMEM:
		return "there was not enough memory or address space (ulimit -v) for its record"
	case syscall.ENOSPC, syscall.EDQUOT:
		return "there is no room on the disk for its record: name a folder that has some by TMPDIR"
	}
	return fmt.Sprintf("its record could not be made in the temporary folder: %v", s.err)
}

// word reads what such a process has left: a link named PID-TIME.none to the error's number and the program.
func word(name string) (s silent) {
	text, _ := os.Readlink(name)
	number, exe, _ := strings.Cut(text, " ")
	n, _ := strconv.Atoi(number)
	pid, _, _ := strings.Cut(filepath.Base(name), "-")
	s.pid, _ = strconv.Atoi(pid)
	s.exe, s.err = exe, syscall.Errno(max(0, n))
	return s
}

// NewWatcher returns one for the records in a folder, of programs that were run by Library's library for these functions.
func NewWatcher(dir string, own ...Function) *Watcher {
	return &Watcher{dir: dir, own: own, watches: map[string]*watch{}, silent: map[string]silent{}}
}

// Run looks every so often until stop is closed, and then once more. Without a step, 0, there are
// 120 looks at most.
func (w *Watcher) Run(stop <-chan struct{}, every time.Duration) error {
	const soonest = 50 * time.Millisecond
	step := every
	if step == 0 {
		step = soonest
	}
	for begun := time.Now(); ; {
		look := time.Now()
		if err := w.look(every == 0); err != nil {
			return err
		}
		if every == 0 && time.Since(begun) > 2*mostLooks*step {
			step *= 2
		}
		if w.ended {
			return nil
		}
		select {
		case <-stop:
			return w.look(every == 0)
		case <-time.After(max(step, 20*time.Since(look))): // looking takes a twentieth of the time at most
		}
	}
}

// NewProcessWatcher returns one for a process that runs and counts.
func NewProcessWatcher(pid int) (*Watcher, error) {
	w := &Watcher{pid: pid, watches: map[string]*watch{}}
	return w, w.lookAtProcess(true)
}

func (w *Watcher) lookAtProcess(thin bool) error {
	r, err := ReadProcess(w.pid)
	if err != nil {
		return err
	}
	at := w.watches[""]
	if at == nil {
		at = &watch{name: fmt.Sprintf("/proc/%d/", w.pid)} // which has a link exe
		w.watches[""] = at
	}
	at.add(r, time.Since(r.Start))
	if thin {
		at.thin()
	}
	return nil
}

func (w *Watcher) look(thin bool) error {
	if w.pid != 0 {
		if err := w.lookAtProcess(thin); err != nil {
			if w.watches[""] == nil {
				return err
			}
			w.ended = true
		}
		return nil
	}
	names, err := filepath.Glob(filepath.Join(w.dir, "*.heap"))
	if err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(w.dir, "*.none"))
	if err != nil {
		return err
	}
	for _, name := range left {
		if _, known := w.silent[name]; !known {
			w.silent[name] = word(name)
		}
	}
	now := time.Now()
	for _, name := range names {
		r, err := ReadFile(name)
		if errors.Is(err, ErrUnfinished) {
			continue
		}
		at := w.watches[name]
		if at == nil {
			at = &watch{name: strings.TrimSuffix(name, ".heap")}
			w.watches[name] = at
		}
		if err != nil {
			at.damaged = err
			continue
		}
		at.add(r, now.Sub(r.Start))
		if thin {
			at.thin()
		}
	}
	return nil
}
