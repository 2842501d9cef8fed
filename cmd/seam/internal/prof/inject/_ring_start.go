package ring

import (
	"encoding/binary"
	"errors"
	"internal/runtime/exithook"
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A program records from its start when it is told where, and otherwise when it is asked.
func init() {
	dir := os.Getenv("SEAM_PROF")
	if dir == "" {
		listen()
		return
	}
	hz, err := strconv.Atoi(os.Getenv("SEAM_PROF_RATE"))
	if err != nil || hz <= 0 || hz > 10000 {
		hz = 100
	}
	if !filepath.IsAbs(dir) {
		warn("SEAM_PROF is not an absolute path: " + dir)
		return
	}
	pid := os.Getpid()
	name := filepath.Join(dir, strconv.Itoa(pid)+"-"+strconv.FormatInt(time.Now().UnixNano(), 10))
	seamKeepProgram(name + ".exe")
	if err := copyCrash(name + ".crash"); err != nil {
		warn("a crash will have no lines of C: " + err.Error())
	}
	files := keep(name, kindCPU, kindWall, kindNote, kindMap)
	end, err := begin(hz, func(kind string, cpu int64, profile []byte) error {
		return files[kind].add(block(cpu, profile))
	}, func(err error) { warn("this process is not profiled any further: " + err.Error()) })
	if err != nil {
		warn("this process is not profiled: " + err.Error())
		return
	}
	exithook.Add(exithook.Hook{RunOnFailure: true, F: func() {
		if os.Getpid() == pid { // not a copy that C has made by fork, without our threads
			end()
		}
	}})
}

// The kinds of profiles, as the ends of files' names.
const (
	kindCPU  = ".prof"
	kindWall = ".wall"
	kindNote = ".note"
	kindMap  = ".map"
)

// begin begins to record. put gets each profile and the CPU time that it is of, one at a time.
// failed is told of the first error. end returns when all is written.
func begin(hz int, put func(kind string, cpu int64, profile []byte) error, failed func(error)) (end func(), err error) {
	began, used := time.Now(), cpuTime()
	if err := pprof.SeamStart(hz); err != nil {
		return nil, err
	}
	stop := make(chan struct{})
	var writing sync.Mutex
	var tell sync.Once
	var done sync.WaitGroup
	length := func() time.Duration { return stretch(time.Since(began)) }
	record := func(run func() error) {
		done.Add(1)
		go func() {
			defer done.Done()
			if err := run(); err != nil {
				tell.Do(func() { failed(err) })
			}
		}()
	}
	budget := pprof.NewSeamBudget()
	notes := notebook{budget: budget}
	budget.Do(func() { notes.files = executable() })
	note := func(ended bool) error {
		var text string
		budget.Do(func() { text = notes.text(ended) })
		var made []byte
		budget.Do(func() { made = notes.made(ended) })
		if made != nil {
			if err := put(kindMap, 0, made); err != nil {
				return err
			}
		}
		own := budget.Used()
		if text == notes.written && own < 2*notes.own {
			return nil
		}
		notes.written, notes.own = text, own
		text += "queued " + strconv.FormatInt(notes.queued, 10) + "\nown " + strconv.FormatInt(int64(own), 10) + "\n" +
			"looks " + strconv.FormatInt(pprof.SeamLooks.All.Load(), 10) + " " + strconv.FormatInt(pprof.SeamLooks.Some.Load(), 10) + "\n"
		return put(kindNote, 0, []byte(text))
	}
	record(func() error {
		writing.Lock()
		err := note(false) // that it has begun is known whatever happens then
		writing.Unlock()
		return errors.Join(err, pprof.SeamRecord(stop, budget, length, func(profile []byte) error {
			writing.Lock()
			defer writing.Unlock()
			now := cpuTime()
			err := put(kindCPU, now-used, profile)
			used = now
			return errors.Join(err, note(false))
		}))
	})
	record(func() error {
		return pprof.SeamWall(stop, budget, length, threads, look, func(profile []byte) error {
			writing.Lock()
			defer writing.Unlock()
			return put(kindWall, 0, profile)
		})
	})
	return func() {
		pprof.SeamStop()
		close(stop)
		done.Wait()
		note(true)
		pprof.SeamDone()
	}, nil
}

// stretch is how much a kill may lose: a third of what there is at first, later some two per cent.
func stretch(elapsed time.Duration) time.Duration {
	first := min(max(elapsed/2, 10*time.Millisecond), 250*time.Millisecond)
	return min(max(elapsed/50, first), 20*time.Second)
}

// cpuTime is what the kernel has counted for the process, in nanoseconds. Its timers may give
// fewer samples than they are asked for.
func cpuTime() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// block is a profile behind the CPU time that it is of and its length.
func block(cpu int64, profile []byte) []byte {
	head := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(cpu)), uint64(len(profile)))
	return append(head, profile...)
}

// seamKeepProgram keeps the file of a program that the go command removes when it has run: the
// names of C are in it.
func seamKeepProgram(name string) {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil || os.Link(exe, name) == nil || !strings.Contains(exe, "go-build") {
		return
	}
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return
	}
	defer from.Close()
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	_, err = io.Copy(to, from)
	if e := to.Close(); err != nil || e != nil {
		os.Remove(name)
	}
}

func warn(text string) { os.Stderr.WriteString("seam: prof: " + text + "\n") }
