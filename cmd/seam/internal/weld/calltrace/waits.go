package calltrace

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// maxWaits is how many places of a function a File keeps.
const maxWaits = 16

// running is what a record has in the place of a function where a call doesn't wait.
const running = "running"

// wait reads the texts of a place.
func (p *parser) wait(c *wait, text []string) WaitRecord {
	w := WaitRecord{Wait: Wait{Looks: c.Samples, NS: c.NS, On: text[2], Searched: uint64(c.Searched), Held: uint64(c.Held)}, Stack: c.Stack}
	if text[0] == running {
		w.In, w.On = running, ""
		return w
	}
	w.In = plainName(text[0])
	w.Call = callName(p.record.Arch, text[1])
	frames := text[3:]
	for i := 0; len(frames) >= 3; i, frames = i+1, frames[3:] {
		name, object, offset := frames[0], frames[1], frames[2]
		if c.Local>>i&1 != 0 && !slices.Contains(w.Local, object) {
			w.Local = append(w.Local, object)
		}
		if name == "" {
			if n, err := strconv.ParseUint(offset, 10, 64); err == nil {
				name = object + "+0x" + strconv.FormatUint(n, 16)
			}
		} else if object != "" {
			name += " (" + object + ")"
		}
		w.Wait.Stack = append(w.Wait.Stack, name)
	}
	return w
}

// plainName is the name by which programs call a function of the C library, which has
// several for it: "__libc_recv", "__poll_chk", "pread64".
func plainName(name string) string {
	name = strings.TrimLeft(name, "_")
	for _, prefix := range []string{"libc_", "GI_"} {
		name = strings.TrimLeft(strings.TrimPrefix(name, prefix), "_")
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_chk"), "_nocancel")
	return strings.TrimSuffix(name, "64")
}

// waits are the places of a function in all processes.
type waits struct {
	looks, running, stack uint64
	places                recording.Ordered[string, Wait]
}

func (s *waits) add(w WaitRecord) {
	s.looks += w.Looks
	s.stack = max(s.stack, w.Stack)
	if w.In == running {
		s.running += w.Looks
		return
	}
	key := strings.Join(append([]string{w.In, w.Call, w.On}, w.Wait.Stack...), "\x00")
	s.places.At(key, Wait{In: w.In, Call: w.Call, On: w.On, Stack: w.Wait.Stack}).add(w.Wait)
}

// add takes over the counters of the same place.
func (w *Wait) add(x Wait) {
	w.Looks += x.Looks
	w.NS += x.NS
	w.Searched += x.Searched
	w.Held += x.Held
	for _, library := range x.Local {
		if !slices.Contains(w.Local, library) {
			w.Local = append(w.Local, library)
		}
	}
}

// done returns what a File says. Places that are too many lose their stacks.
func (s *waits) done() (looks, ran, stack uint64, list []Wait) {
	for _, w := range s.places.List {
		list = append(list, *w)
	}
	if len(list) > maxWaits {
		var few recording.Ordered[[3]string, Wait]
		for _, w := range list {
			few.At([3]string{w.In, w.Call, w.On}, Wait{In: w.In, Call: w.Call, On: w.On, Stack: w.Stack}).add(w)
		}
		list = list[:0]
		for _, w := range few.List {
			list = append(list, *w)
		}
	}
	slices.SortFunc(list, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(b.Looks, a.Looks), strings.Compare(a.In+" "+a.Call+" "+a.On, b.In+" "+b.Call+" "+b.On), slices.Compare(a.Stack, b.Stack))
	})
	return s.looks, s.running, s.stack, list
}

// Waited is how long a function was seen to wait in each function of the C library, or
// system call where that is not known, longest first.
func (f *Function) Waited() []Wait {
	var sums recording.Ordered[string, Wait]
	for _, w := range f.Waits {
		name := w.Name()
		sums.At(name, Wait{In: name}).add(w)
	}
	var list []Wait
	for _, w := range sums.List {
		list = append(list, *w)
	}
	slices.SortStableFunc(list, func(a, b Wait) int { return cmp.Compare(b.NS, a.NS) })
	return list
}

// Name is how tables call a place: "recv", "read of a file", "futex".
func (w Wait) Name() string {
	name := cmp.Or(w.In, w.Call)
	if w.On == "" {
		return name
	}
	article := " of a "
	if w.On == "anon_inode" {
		return name + " of an eventfd or the like"
	}
	return name + article + w.On
}

// callName is the name of a system call that waits, by its number.
func callName(arch, number string) string {
	n, err := strconv.Atoi(number)
	switch names := calls[cmp.Or(arch, "amd64")]; {
	case err != nil || n < 0:
		return "page fault"
	case names[n] != "":
		return names[n]
	}
	return "system call " + number
}

// calls are the names of those in which programs wait.
var calls = map[string]map[int]string{
	"amd64": {
		0: "read", 1: "write", 7: "poll", 16: "ioctl", 17: "pread64", 18: "pwrite64", 19: "readv", 20: "writev", 22: "pipe",
		23: "select", 24: "sched_yield", 34: "pause", 35: "nanosleep", 42: "connect", 43: "accept", 44: "sendto", 45: "recvfrom",
		46: "sendmsg", 47: "recvmsg", 56: "clone", 61: "wait4", 72: "fcntl", 73: "flock", 74: "fsync", 75: "fdatasync",
		128: "rt_sigtimedwait", 130: "rt_sigsuspend", 202: "futex", 230: "clock_nanosleep", 232: "epoll_wait", 247: "waitid",
		257: "openat", 270: "pselect6", 271: "ppoll", 281: "epoll_pwait", 288: "accept4", 299: "recvmmsg", 307: "sendmmsg",
		426: "io_uring_enter", 435: "clone3", 441: "epoll_pwait2", 449: "futex_waitv",
	},
	"arm64": {
		22: "epoll_pwait", 25: "fcntl", 29: "ioctl", 32: "flock", 56: "openat", 63: "read", 64: "write", 65: "readv", 66: "writev",
		67: "pread64", 68: "pwrite64", 72: "pselect6", 73: "ppoll", 82: "fsync", 83: "fdatasync", 95: "waitid", 98: "futex",
		101: "nanosleep", 115: "clock_nanosleep", 124: "sched_yield", 133: "rt_sigsuspend", 137: "rt_sigtimedwait",
		202: "accept", 203: "connect", 206: "sendto", 207: "recvfrom", 211: "sendmsg", 212: "recvmsg", 220: "clone", 242: "accept4",
		243: "recvmmsg", 260: "wait4", 269: "sendmmsg", 426: "io_uring_enter", 435: "clone3", 441: "epoll_pwait2", 449: "futex_waitv",
	},
}
