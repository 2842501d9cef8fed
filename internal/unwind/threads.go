//go:build linux && (amd64 || arm64)

package unwind

import (
	"math/rand/v2"
	"strconv"
	"syscall"
)

// A Thread is one of the process that waits in the kernel.
type Thread struct {
	ID   int
	Call int // the number of the system call; -1 for another reason, as a page to be read
	PC   uintptr

	sp   uintptr
	text string // what the kernel says of it
}

// Waiting lists the threads that wait, without a signal, which would end their system calls:
// the kernel tells at which instruction, and with which stack pointer, each has gone to sleep.
// It looks at most so many, by chance, and at all with 0, and returns how many it has looked at and
// how many there are.
func Waiting(most int) (list []Thread, looked, of int, err error) {
	ids, err := threads()
	if err != nil {
		return nil, 0, 0, err
	}
	of = len(ids)
	if most > 0 && of > most {
		rand.Shuffle(of, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		ids = ids[:most]
	}
	var refused error
	for _, id := range ids {
		text, err := state(id)
		if err != nil {
			if err != syscall.ENOENT && err != syscall.ESRCH { // it has ended meanwhile
				refused = err
			}
			continue
		}
		if t, ok := parse(id, text); ok {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return nil, len(ids), of, refused
	}
	return list, len(ids), of, nil
}

// threads lists the numbers of the process's threads.
func threads() ([]int, error) {
	dir, err := syscall.Open("/proc/self/task", syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(dir)
	var ids []int
	var room [8 << 10]byte
	for {
		n, err := syscall.ReadDirent(dir, room[:])
		if err != nil || n <= 0 {
			return ids, err
		}
		_, _, names := syscall.ParseDirent(room[:n], -1, nil)
		for _, name := range names {
			if id, err := strconv.Atoi(name); err == nil {
				ids = append(ids, id)
			}
		}
	}
}

// state is what the kernel says about where a thread waits.
func state(id int) (string, error) { return about(id, "syscall") }

// turns changes whenever a thread gets a processor; "" where the kernel doesn't count that.
func turns(id int) string {
	text, err := about(id, "schedstat")
	if err != nil {
		return ""
	}
	return text
}

func about(id int, what string) (string, error) {
	f, err := syscall.Open("/proc/self/task/"+strconv.Itoa(id)+"/"+what, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer syscall.Close(f)
	var room [256]byte
	n, err := syscall.Read(f, room[:])
	return string(room[:max(n, 0)]), err
}

// parse reads "running", or the call's number, six arguments (none with -1), the stack pointer
// and the program counter.
func parse(id int, text string) (Thread, bool) {
	var words []string
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && text[end] != ' ' && text[end] != '\n' {
			end++
		}
		if end > at {
			words = append(words, text[at:end])
		}
		at = end + 1
	}
	if len(words) != 3 && len(words) != 9 {
		return Thread{}, false
	}
	call, err1 := strconv.Atoi(words[0])
	sp, err2 := strconv.ParseUint(words[len(words)-2], 0, 64)
	pc, err3 := strconv.ParseUint(words[len(words)-1], 0, 64)
	if err1 != nil || err2 != nil || err3 != nil || sp == 0 || pc == 0 {
		return Thread{}, false
	}
	return Thread{ID: id, Call: call, PC: uintptr(pc), sp: uintptr(sp), text: text}, true
}
