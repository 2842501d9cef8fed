package csource

import (
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
)

// Reaches returns a way from a function to one for which hit holds, by the calls that are
// seen; nil if there is none.
func (f *Facts) Reaches(name string, hit func(name string) bool) []string {
	if f == nil {
		return nil
	}
	seen := map[string]bool{}
	var walk func(name string) []string
	walk = func(name string) []string {
		if seen[name] {
			return nil
		}
		seen[name] = true
		if hit(name) {
			return []string{name}
		}
		fn := f.Funcs[name]
		if fn == nil {
			return nil
		}
		for _, c := range fn.Calls {
			if way := walk(c); way != nil {
				return append([]string{name}, way...)
			}
		}
		return nil
	}
	return walk(name)
}

// Waits returns a way from a function to one that waits for others, or for the time, within
// three calls; nil if none is seen. Files and terminals, which are slow at times, don't count.
func (f *Facts) Waits(name string) []string {
	if way := f.Reaches(name, waits); len(way) <= 4 {
		return way
	}
	return nil
}

// waiters are functions of the C library that wait as long as others want.
var waiters = strings.Fields(`
	sleep usleep nanosleep clock_nanosleep thrd_sleep pause sigsuspend sigwait sigwaitinfo sigtimedwait
	poll ppoll select pselect epoll_wait epoll_pwait epoll_pwait2 kevent aio_suspend io_getevents io_uring_enter futex
	wait waitpid waitid wait3 wait4 system pclose flock lockf getpass tcdrain
	accept accept4 connect recv recvfrom recvmsg recvmmsg getaddrinfo getnameinfo gethostbyname gethostbyname2 gethostbyaddr
	gethostbyname_r gethostbyname2_r gethostbyaddr_r res_query res_search res_nquery res_nsearch
	semop semtimedop msgsnd msgrcv mq_send mq_receive mq_timedsend mq_timedreceive
	sem_wait sem_timedwait pthread_cond_wait pthread_cond_timedwait pthread_join pthread_barrier_wait cnd_wait cnd_timedwait thrd_join`)

func waits(name string) bool {
	if base, ok := strings.CutSuffix(name, "_chk"); ok { // with a check of the buffer: __recv_chk
		name = strings.TrimPrefix(base, "__")
	}
	return slices.Contains(waiters, name)
}

// MayCallGo says what keeps it from being known that a function can't come to Go; "" if it is
// known: all that it calls is seen, or belongs to the C library and calls nothing back.
func (f *Facts) MayCallGo(name string) (why string) {
	f.Reaches(name, func(c string) bool {
		fn := f.Funcs[c]
		switch {
		case fn != nil && fn.Defined && fn.Indirect:
			why = c + " calls through a pointer"
		case fn != nil && fn.Defined && fn.Assembly:
			why = c + " has inline assembly"
		case fn == nil || !fn.Defined:
			switch callgraph.ClassOf(c) {
			case callgraph.Harmless, callgraph.Allocates, callgraph.Locks:
			default:
				why = "what " + c + " does is not known"
			}
		}
		return why != ""
	})
	if f == nil {
		return "nothing is known about the C"
	}
	return why
}
