package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/stack/event"
	"github.com/seamgo/seam/cmd/seam/internal/stack/frames"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
)

// Names finds the programs that write to a session's log: those that Exec started, and
// traced ones that they start. It is a [report.Symbols].
type Names struct {
	session *Session
	known   []*names // whose files are open: a few
	unknown *names   // stands for all others
	waited  time.Duration
}

// Names is for reading the session's log.
func (s *Session) Names() *Names { return &Names{session: s} }

const (
	// Exec notes a process right after it has started it, which may be right after the
	// process has written to its log. A process that is never noted was started by
	// another; for these it is waited no longer than patience in all.
	patience = 2 * time.Second
	noted    = 20 * time.Millisecond

	maxPrograms = 256 // different files: go test of a large module has as many
)

// Program implements [report.Symbols].
func (n *Names) Program(start *event.Event) report.Program {
	if start.PID == 0 {
		return nil
	}
	// The kernel's name for the file works while the process runs, after the file has been
	// removed too. A process that Exec has noted may be an emulator's.
	path := fmt.Sprintf("/proc/%d/exe", start.PID)
	name, _ := os.Readlink(path)
	f, err := os.Open(path)
	p := n.session.Program(start.PID)
	for since := time.Now(); p == nil && n.waited < patience && time.Since(since) < noted; p = n.session.Program(start.PID) {
		time.Sleep(time.Millisecond)
		n.waited += time.Millisecond
	}
	if p != nil {
		if err == nil {
			f.Close()
		}
		name = p.Name
		f, err = os.Open(p.Binary)
	}
	if err != nil {
		// It was too short for us; it is probably one that we know.
		for _, other := range n.known {
			if other.file != nil && other.version == start.Version && other.build == start.Build {
				return other
			}
		}
		return n.none()
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return n.none()
	}
	for _, other := range n.known {
		if other.info != nil && os.SameFile(other.info, info) {
			f.Close()
			return other
		}
	}
	if len(n.known) == maxPrograms {
		f.Close()
		return n.none()
	}
	program := &names{name: name, file: f, info: info, version: start.Version, build: start.Build}
	n.known = append(n.known, program)
	return program
}

func (n *Names) none() *names {
	if n.unknown == nil {
		n.unknown = &names{err: errors.New("its file is unknown: it ended too soon")}
	}
	return n.unknown
}

// Close closes the programs' files.
func (n *Names) Close() {
	for _, p := range n.known {
		if p.file != nil {
			p.file.Close()
		}
	}
}

// Of names the functions of one program, for a log that it has written.
func Of(b *symbols.Binary) report.Symbols {
	return &one{
		binary: b,
		known:  &names{name: b.Path, binary: b, text: b.Text},
		plain:  &names{name: b.Path, binary: b},
		others: map[string]*names{},
	}
}

type one struct {
	binary *symbols.Binary
	known  *names
	plain  *names            // for a plain log, whose addresses are those of a program that isn't PIE
	others map[string]*names // by why they are
}

// Program implements [report.Symbols].
func (o *one) Program(start *event.Event) report.Program {
	if start.PID == 0 {
		return o.plain
	}
	why := ""
	switch {
	case start.Version != o.binary.GoVersion:
		why = fmt.Sprintf("it was built with %s, and %s with %s", start.Version, o.binary.Path, o.binary.GoVersion)
	case start.Build != o.binary.Build:
		why = fmt.Sprintf("it is a different build from %s", o.binary.Path)
	default:
		return o.known
	}
	if o.others[why] == nil {
		o.others[why] = &names{err: errors.New(why)}
	}
	return o.others[why]
}

// names are those of one program's functions. They are read when they are asked for.
type names struct {
	name   string
	file   *os.File
	info   fs.FileInfo
	binary *symbols.Binary
	locals *frames.Locals // when one was asked for
	calls  *frames.Calls
	called bool   // calls has been tried
	text   uint64 // what the log's addresses count from
	err    error

	version string // of Go
	build   uint64
}

func (n *names) read() *symbols.Binary {
	if n.binary == nil && n.err == nil {
		n.binary, n.err = symbols.Open(n.path())
		if n.err == nil {
			n.text = n.binary.Text
		}
	}
	return n.binary
}

// Name implements [report.Program].
func (n *names) Name() string { return n.name }

// Err implements [report.Program].
func (n *names) Err() error {
	n.read()
	return n.err
}

// Func implements [report.Program].
func (n *names) Func(pc uint64) (at report.Place, frame int64, ok bool) {
	b := n.read()
	if b == nil {
		return at, 0, false
	}
	f := b.Lookup(n.text + pc)
	if f == nil {
		return at, 0, false
	}
	return report.Place{Func: f.Name, File: f.File, Line: f.Line}, f.Frame, true
}

// Largest implements [report.Debugger].
func (n *names) Largest(pc uint64) *report.Variable {
	b := n.read()
	if b == nil {
		return nil
	}
	f := b.Lookup(n.text + pc)
	if f == nil {
		return nil
	}
	if n.locals == nil {
		n.locals = frames.OpenLocals(n.path())
	}
	l, ok := n.locals.Largest(f.Entry, f.Frame)
	if !ok {
		return nil
	}
	return &report.Variable{Name: l.Name, Type: l.Type, Bytes: l.Bytes}
}

// Way implements [report.Caller].
func (n *names) Way(from, to uint64) (way []report.Place) {
	if n.read() == nil {
		return nil
	}
	if !n.called {
		n.calls, n.called = frames.OpenCalls(n.path()), true
	}
	for _, f := range n.calls.Way(n.text+from, n.text+to-1) {
		way = append(way, report.Place{Func: f.Name, File: f.File, Line: f.Line})
	}
	return way
}

// path is where the program's file can be opened.
func (n *names) path() string {
	if n.file == nil {
		return n.name
	}
	return fmt.Sprintf("/proc/self/fd/%d", n.file.Fd())
}

// Call implements [report.Program].
func (n *names) Call(pc uint64) (at report.Place, ok bool) {
	b := n.read()
	if b == nil {
		return at, false
	}
	// The call may be the function's last instruction.
	at.Func, at.File, at.Line = b.Position(n.text + pc - 1)
	if f := b.Lookup(n.text + pc - 1); f != nil && f.Name != at.Func {
		at.In = f.Name
	}
	return at, at.Func != ""
}
