// Package wake measures ways in which one thread tells another that there is something to
// do.
package wake

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// Experiment is `seam lab wake`.
var Experiment = lab.Experiment{
	Name:  "wake",
	Title: "What does it cost to wake another thread, and to tell it something while it is awake?",
	About: "Two threads of C share a word and whatever else they tell each other by; it would be the same between processes. " +
		"op=rtt hands the turn to the other thread and waits for it to come back: there and back, two wake-ups where they sleep. " +
		"spin looks at the word without a pause for others (a processor instruction between looks), and so keeps a processor busy; atomics looks at it too and calls sched_yield in between; " +
		"semaphore is sem_post and sem_wait, futex is FUTEX_WAKE and FUTEX_WAIT on the word, eventfd is write and read. " +
		"op=signal is what telling costs while nobody sleeps, the most usual case: for atomics an exchange of the word, for spin a lock taken and given back, " +
		"for semaphore sem_post and sem_wait, for futex a FUTEX_WAKE that finds nobody, for eventfd a write and a read. " +
		"The ring of package ring tells by an exchange and calls the kernel only for a side that has said that it sleeps.",
	Cases:   cases,
	Explain: explain,
}

// Ways to tell, in the order of the C enum.
var bys = []string{"spin", "atomics", "semaphore", "futex", "eventfd"}

// What is done.
const (
	rtt    = "rtt"
	signal = "signal"
)

var titles = map[string]string{rtt: "there and back", signal: "told while nobody sleeps"}

func name(by, op string) string { return fmt.Sprintf("Wake/by=%s/op=%s", by, op) }

func label(by, op string) string { return by + ", " + titles[op] }

func cases(lab.Mode) []lab.Case {
	var list []lab.Case
	for _, op := range []string{rtt, signal} {
		for i, by := range bys {
			list = append(list, lab.Case{
				Name: name(by, op), Label: label(by, op), Group: titles[op], Base: by == "futex",
				Setup: func() (*lab.Op, error) { return setup(i, op) },
			})
		}
	}
	return list
}
