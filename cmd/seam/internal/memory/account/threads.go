package account

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Thread is one of a process, and where its stack is.
type Thread struct {
	ID    int
	Name  string // as the kernel has it: the first 15 bytes of the program's name, or the thread's own
	Start string // the function that it began in, "" where that isn't known

	sp uint64 // 0 where it runs
}

// threads lists the threads of a process. One that ends meanwhile is left out.
func threads(proc string) (list []Thread) {
	names, _ := filepath.Glob(proc + "/task/*") // the pattern is right
	for _, name := range names {
		id, err := strconv.Atoi(filepath.Base(name))
		if err != nil {
			continue
		}
		comm, err := os.ReadFile(name + "/comm")
		if err != nil {
			continue
		}
		t := Thread{ID: id, Name: strings.TrimSpace(string(comm))}
		if call, err := os.ReadFile(name + "/syscall"); err == nil { // "running", or the call, its arguments, sp and pc
			if f := strings.Fields(string(call)); len(f) >= 3 {
				t.sp, _ = strconv.ParseUint(f[len(f)-2], 0, 64) // 0 says the same as an error
			}
		}
		list = append(list, t)
	}
	return list
}

// descriptorOf finds the descriptor that glibc lays at the end of a thread's stack on amd64: its
// first word and its third are its own address, and the thread's number is in it. arm64's has no
// such words, and none is found there.
func (s *space) descriptorOf(m *Mapping, ids map[int]bool) (at uint64, id int) {
	const most = 16 << 10 // behind it are thread-local data and padding
	low := max(m.Low, m.High-min(most, m.High))
	there, err := s.resident(low, m.High)
	if err != nil {
		return 0, 0
	}
	s.forget(low, there)
	for at := m.High - 1024; at >= low && there[(at-low)/pageSize]; at -= 8 {
		if v, err := s.word(at); err != nil || v != at {
			continue
		}
		if v, err := s.word(at + 16); err != nil || v != at {
			continue
		}
		for near := at + 24; near < min(at+1024, m.High-8); near += 8 { // where the number stands depends on the version
			v, err := s.word(near)
			if err != nil {
				return 0, 0
			}
			if id := int(uint32(v)); ids[id] && id != 0 {
				return at, id
			}
		}
		return at, 0 // a thread that has ended
	}
	return 0, 0
}

// startOf is the function that a thread began in: of the words in its descriptor the one that
// leads to code.
func (s *space) startOf(descriptor, end uint64, code func(uint64) string) string {
	for at := descriptor + 1024; at < min(descriptor+2304, end-8); at += 8 {
		v, err := s.word(at)
		if err != nil {
			return ""
		}
		if name := code(v); name != "" {
			return name
		}
	}
	return ""
}
