package account

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/prof/symbols"
)

// A Kind says what resident memory is for.
type Kind string

// The kinds, in the order of the page.
const (
	GoHeap     Kind = "go heap"            // arenas of Go's heap: objects, free spans, stacks of goroutines
	GoOther    Kind = "go other"           // tables of Go's runtime
	CUsed      Kind = "malloc, in use"     // what the C allocator has handed out
	CFree      Kind = "malloc, free"       // what it keeps
	CUnknown   Kind = "malloc, not read"   // its heaps, of which it could not be read what is free
	Stacks     Kind = "thread stacks"      // of threads that there are
	OldStacks  Kind = "stacks, no thread"  // of ended threads, kept by libc, or of coroutines
	Data       Kind = "data of files"      // private copies of pages of files, and their .bss
	Files      Kind = "files"              // pages of files: code, tables, what is mapped to be read
	Shared     Kind = "shared memory"      // memfd, shm, /dev/zero
	Anonymous  Kind = "anonymous mappings" // private, and nobody says whose
	KernelMade Kind = "kernel"             // vDSO and the like
	Own        Kind = "seam heap"          // what the library of seam heap keeps in the process
)

// Kinds are all of them, in that order.
var Kinds = []Kind{GoHeap, GoOther, CUsed, CFree, CUnknown, Stacks, OldStacks, Data, Files, Shared, Anonymous, KernelMade, Own}

// says is a kind in a sentence.
var says = map[Kind]string{
	GoHeap: "Go's heap", GoOther: "Go's runtime", CUsed: "C memory in use (malloc)", CFree: "C memory that is free in malloc", CUnknown: "malloc's heaps",
	Stacks: "thread stacks", OldStacks: "stacks without a thread", Data: "data of files", Files: "files", Shared: "shared memory",
	Anonymous: "anonymous mappings", KernelMade: "the kernel's pages", Own: "tables of seam heap",
}

func (k Kind) String() string { return says[k] }

// A Part is resident memory of one kind and one owner.
type Part struct {
	Kind  Kind   `json:"kind"`
	Owner string `json:"owner,omitempty"` // a file, a thread's start function, an arena
	Bytes uint64 `json:"bytes"`           // resident
	Count int    `json:"count"`           // mappings, stacks, or blocks handed out
}

// A Heap is one of glibc's that could be read, and what of it is handed out.
type Heap struct {
	Owner string `json:"owner"` // as of its parts
	At    uint64 `json:"at"`    // its address
	Size  uint64 `json:"size"`  // with what is not in memory
	Used  uint64 `json:"used"`  // resident, as its parts have it
	Free  uint64 `json:"free"`  // likewise

	// Map has a letter for each 64th of the heap: how many tenths of what is in memory are handed out,
	// 9 for all or nearly; a dot where nothing is in memory.
	Map string `json:"map"`
}

// cells of a Heap's map.
const cells = 64

// mapOf draws a heap between two addresses: of its pages those that are there, and of these, bytes by cell
// that are free.
func mapOf(low, high uint64, there []bool, free *[cells]uint64) string {
	resident := [cells]uint64{}
	for page, is := range there {
		if is {
			resident[cellOf(low+uint64(page)*pageSize, low, high)] += pageSize
		}
	}
	text := make([]byte, cells)
	for i := range text {
		switch r := resident[i]; {
		case r == 0:
			text[i] = '.'
		default:
			text[i] = '0' + byte(min(9, 10*(r-min(r, free[i]))/r))
		}
	}
	return string(text)
}

func cellOf(at, low, high uint64) uint64 { return min(cells-1, (at-low)*cells/(high-low)) }

// An Account is where the resident memory of a process is at one moment. The parts' bytes add up
// to RSS.
type Account struct {
	PID     int           `json:"pid"`
	Exe     string        `json:"exe"`
	Go      string        `json:"go,omitempty"` // the version that built the program, "" if none did
	Time    time.Time     `json:"time"`
	Took    time.Duration `json:"took_ns"` // to read it
	Once    time.Duration `json:"-"`       // of that, for files of programs, which are read once
	RSS     uint64        `json:"rss"`     // the sum of all mappings'
	Parts   []Part        `json:"parts"`   // most bytes first within their kind
	Trim    uint64        `json:"trim"`    // whole resident pages within free chunks: what malloc_trim could give back
	Huge    uint64        `json:"huge"`    // in transparent huge pages, of RSS
	Swap    uint64        `json:"swap"`    // not of RSS
	Threads int           `json:"threads"`
	Heaps   []Heap        `json:"heaps,omitempty"`
	Notes   []string      `json:"notes,omitempty"` // what could not be read, and so is not told apart
}

// Of is what a kind has in all.
func (a *Account) Of(k Kind) (sum uint64) {
	for _, p := range a.Parts {
		if p.Kind == k {
			sum += p.Bytes
		}
	}
	return sum
}

// ErrGone says that there is no such process, or no more.
var ErrGone = errors.New("there is no such process")

// A Reader takes accounts, and keeps what it has read of programs' files: looks follow each other.
// It is for one goroutine at a time.
type Reader struct {
	images   map[string]*symbols.Image
	versions map[string]string // of Go, by program
}

// Read takes the account of a process.
func (of *Reader) Read(pid int) (*Account, error) {
	begun := time.Now()
	proc := fmt.Sprintf("/proc/%d", pid)
	text, err := os.ReadFile(proc + "/smaps")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat("/proc/self/smaps"); err != nil {
			return nil, errors.New("this system has no /proc/PID/smaps: resident memory can be told apart on Linux only")
		}
		return nil, fmt.Errorf("%d: %w", pid, ErrGone)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("process %d belongs to another user, or may not be looked into: %w", pid, err)
	case err != nil && strings.Contains(err.Error(), "no such process"):
		return nil, fmt.Errorf("%d: %w", pid, ErrGone)
	case err != nil:
		return nil, err
	}
	a := &Account{PID: pid, Time: begun}
	a.Exe, _ = os.Readlink(proc + "/exe") // the kernel's threads have none
	if of.images == nil {
		of.images, of.versions = map[string]*symbols.Image{}, map[string]string{}
	}
	version, known := of.versions[a.Exe]
	if !known {
		began := time.Now()
		if info, err := buildinfo.ReadFile(proc + "/exe"); err == nil {
			version = info.GoVersion
		}
		of.versions[a.Exe] = version
		a.Once = time.Since(began)
	}
	a.Go = version
	mappings, err := parseSmaps(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	if len(mappings) == 0 { // a zombie, or a thread of the kernel's
		return nil, fmt.Errorf("process %d has no memory: it has ended, or is the kernel's", pid)
	}
	s := &space{}
	if memory, err := os.Open(proc + "/mem"); err != nil {
		a.note("its memory may not be read (%v): what malloc keeps free isn't told from what it has handed out", bare(err))
	} else {
		defer memory.Close()
		s.memory = memory
	}
	if pages, err := os.Open(proc + "/pagemap"); err != nil || os.Getpagesize() != pageSize {
		a.note("its page map can't be read: what malloc keeps free isn't told from what it has handed out")
	} else {
		defer pages.Close()
		s.pages = pages
	}
	r := &reading{Account: a, space: s, mappings: mappings, done: make([]bool, len(mappings)), names: &namer{proc: proc, mappings: mappings, images: of.images}}
	r.threads = threads(proc)
	r.place()
	if text, err := os.ReadFile(proc + "/statm"); err != nil || strings.HasPrefix(string(text), "0 ") {
		return nil, fmt.Errorf("%d ended while its memory was looked at: %w", pid, ErrGone)
	}
	a.Took, a.Once = time.Since(begun), a.Once+r.names.took
	return a, nil
}

// bare is what an error says without the path.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func (a *Account) note(format string, args ...any) {
	a.Notes = append(a.Notes, fmt.Sprintf(format, args...))
}

// add adds to the part of a kind and an owner.
func (a *Account) add(k Kind, owner string, bytes uint64, count int) {
	i := slices.IndexFunc(a.Parts, func(p Part) bool { return p.Kind == k && p.Owner == owner })
	if i < 0 {
		i = len(a.Parts)
		a.Parts = append(a.Parts, Part{Kind: k, Owner: owner})
	}
	a.Parts[i].Bytes += bytes
	a.Parts[i].Count += count
}

func (a *Account) sort() {
	a.Parts = slices.DeleteFunc(a.Parts, func(p Part) bool { return p.Bytes == 0 })
	slices.SortStableFunc(a.Parts, func(x, y Part) int {
		return cmp.Or(cmp.Compare(slices.Index(Kinds, x.Kind), slices.Index(Kinds, y.Kind)), cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(x.Owner, y.Owner))
	})
}

// allocator is a C allocator other than libc's that is loaded as a library: its heaps are
// anonymous mappings like others.
func allocator(mappings []Mapping) string {
	for i := range mappings {
		base := filepath.Base(mappings[i].Path)
		for _, name := range []string{"libjemalloc", "libmimalloc", "libtcmalloc", "libsnmalloc", "librpmalloc", "libhoard"} {
			if strings.HasPrefix(base, name) {
				return base
			}
		}
	}
	return ""
}
