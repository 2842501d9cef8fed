package ring

import (
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A notebook is what seam prof has to know beside the samples. Each note replaces the one before.
type notebook struct {
	files   string // a line for each file whose code is in memory, from before main: it may end the reading of /proc
	deaf    map[string]*deafThread
	queue   map[string]int64 // nanoseconds that each thread has stood in the kernel's queue for a processor; nil before the first look
	queued  int64            // since then, by all that were seen
	written string
	mapped  int64         // the size of what compilers at run time have written for perf
	took    time.Duration // by looks
	own     time.Duration // that recording had taken then
	budget  *pprof.SeamBudget
}

// A deafThread has SIGPROF blocked, so no sample is of it.
type deafThread struct {
	name      string
	seen      bool
	last, cpu int64 // nanoseconds of CPU time: at the last look, and while it was deaf
}

// text is a line for each thing to know; ended is that the process ends by itself.
func (n *notebook) text(ended bool) string {
	text := "path " + state.Path + " " + state.Reason + "\n" + n.files
	for _, s := range Signals() {
		if strings.HasPrefix(s, "SIGPROF") {
			text += "signal " + s + "\n"
		}
	}
	if n.budget.AllowsPart(4, n.took, time.Duration(threads())*statusCost) {
		n.took += n.budget.Count(n.look)
	}
	for id, t := range n.deaf {
		if t.cpu > 0 {
			text += "deaf " + id + " " + strconv.FormatInt(t.cpu, 10) + " " + t.name + "\n"
		}
	}
	if ended {
		text += "ended\n"
	}
	return text
}

// statusCost is what the status and the times of a thread take to read, about.
const statusCost = 35 * time.Microsecond

// made is what compilers at run time write for perf about the functions that they make, if there
// is more of it than before; the file may be gone when the process has ended.
func (n *notebook) made(ended bool) []byte {
	name := "/tmp/perf-" + strconv.Itoa(os.Getpid()) + ".map"
	var is syscall.Stat_t
	if syscall.Lstat(name, &is) != nil || is.Mode&syscall.S_IFMT != syscall.S_IFREG || is.Size == n.mapped {
		return nil
	}
	const most, rate = 64 << 20, 500 << 20 // bytes, and bytes a second that can be read
	if int(is.Uid) != os.Geteuid() && is.Uid != 0 || is.Size > most || !ended && !n.budget.Allows(time.Duration(is.Size)*time.Second/rate) {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	n.mapped = is.Size
	return text
}

// executable is what /proc/self/maps has of files with code.
func executable() (list string) {
	text, _ := os.ReadFile("/proc/self/maps")
	for l := range strings.Lines(string(text)) {
		if words := strings.Fields(l); len(words) >= 6 && strings.Contains(words[1], "x") {
			list += "map " + l
		}
	}
	return list
}

// look adds up how long threads have stood in the kernel's queue, and counts the time between two looks that both have found a thread deaf: any is for a moment,
// in a handler or when it makes another.
func (n *notebook) look() {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	if n.deaf == nil {
		n.deaf = map[string]*deafThread{}
	}
	queue := make(map[string]int64, len(tasks))
	for _, t := range n.deaf {
		t.seen = false
	}
	for _, task := range tasks {
		dir := "/proc/self/task/" + task.Name()
		var now, queued int64 // on a processor, and waiting for one
		schedstat, _ := os.ReadFile(dir + "/schedstat")
		words := strings.Fields(string(schedstat))
		if len(words) < 2 {
			continue
		}
		now, _ = strconv.ParseInt(words[0], 10, 64)
		queued, _ = strconv.ParseInt(words[1], 10, 64)
		queue[task.Name()] = queued
		if n.queue != nil {
			n.queued += max(queued-n.queue[task.Name()], 0) // of one that is new all of it
		}
		status, err := os.ReadFile(dir + "/status")
		if err != nil {
			continue
		}
		const sigprof = 27
		blocked, err := strconv.ParseUint(line(status, "SigBlk:"), 16, 64)
		if err != nil || blocked>>(sigprof-1)&1 == 0 {
			continue
		}
		t := n.deaf[task.Name()]
		if t == nil {
			t = &deafThread{last: now}
			n.deaf[task.Name()] = t
		}
		t.name, t.seen = line(status, "Name:"), true
		t.cpu += max(now-t.last, 0)
		t.last = now
	}
	n.queue = queue
	for id, t := range n.deaf {
		if !t.seen && t.cpu == 0 {
			delete(n.deaf, id)
		} else if !t.seen {
			t.last = 1<<63 - 1 // nothing is counted from here to the next look
		}
	}
}

// line is what a line of a file in /proc has behind its head.
func line(text []byte, head string) string {
	for l := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(l, head); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
