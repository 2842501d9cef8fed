package launch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Session is a folder that the processes of one run share.
type Session struct {
	Dir      string `json:"-"`
	Log      string `json:"log"`      // where traced programs write to
	Procs    int    `json:"procs"`    // GOMAXPROCS for the program; 0 leaves it
	Adaptive string `json:"adaptive"` // value of GODEBUG=adaptivestackstart for the program
	// Restore are variables that the go command runs with and the program must not see:
	// their values before, or nil where there was none.
	Restore map[string]*string `json:"restore"`
}

const sessionFile = "session.json"

// Create makes the folder, with what the session says in it and the pipe for the log.
func Create(s Session) (*Session, error) {
	dir, err := os.MkdirTemp("", "seam-stack-")
	if err != nil {
		return nil, err
	}
	s.Dir = dir
	s.Log = filepath.Join(dir, "log")
	if err := errors.Join(makePipe(s.Log), writeJSON(filepath.Join(dir, sessionFile), s)); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &s, nil
}

// Open reads what the session in a folder says.
func Open(dir string) (*Session, error) {
	s := &Session{Dir: dir}
	text, err := os.ReadFile(filepath.Join(dir, sessionFile))
	if err != nil {
		return nil, fmt.Errorf("%s is no folder of seam stack trace: %w", dir, err)
	}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, sessionFile), err)
	}
	return s, nil
}

// Remove removes the folder.
func (s *Session) Remove() { os.RemoveAll(s.Dir) }

// A Program is one program that was started.
type Program struct {
	PID    int    `json:"pid"`
	Name   string `json:"name"`   // its file, as it was started
	Binary string `json:"binary"` // the same file, kept; "" if that failed
	Ended  string `json:"ended"`  // "exit code 2", "signal: killed"; "" while it runs
	Code   int    `json:"code"`   // exit code; 128 + the signal's number if one ended it
	CPU    int64  `json:"cpu"`    // user and system, nanoseconds

	signalled bool
}

// note writes what is known of a program, for the process that began the session.
func (s *Session) note(p *Program) error {
	return writeJSON(filepath.Join(s.Dir, fmt.Sprintf("program-%d.json", p.PID)), p)
}

// Program is what is known of the program with this process number, nil if it is none
// that [Exec] has started.
func (s *Session) Program(pid int) *Program {
	text, err := os.ReadFile(filepath.Join(s.Dir, fmt.Sprintf("program-%d.json", pid)))
	if err != nil {
		return nil
	}
	p := &Program{}
	if json.Unmarshal(text, p) != nil {
		return nil
	}
	return p
}

// Programs are all programs that were started, by process number.
func (s *Session) Programs() ([]*Program, error) {
	names, err := filepath.Glob(filepath.Join(s.Dir, "program-*.json"))
	if err != nil {
		return nil, err
	}
	var list []*Program
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p := &Program{}
		if err := json.Unmarshal(text, p); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// environment is the environment for a traced program.
func (s *Session) environment(env []string, logVariable string) []string {
	var list []string
	godebug := "adaptivestackstart=" + s.Adaptive
	for _, v := range env {
		switch name, value, _ := strings.Cut(v, "="); {
		case name == logVariable, name == "GOMAXPROCS" && s.Procs > 0:
			continue
		case hasKey(s.Restore, name):
			if old := s.Restore[name]; old != nil {
				list = append(list, name+"="+*old)
			}
			continue
		case name == "GODEBUG" && value != "":
			godebug = value + "," + godebug // the last one counts
			continue
		}
		list = append(list, v)
	}
	list = append(list, logVariable+"="+s.Log, "GODEBUG="+godebug)
	if s.Procs > 0 {
		list = append(list, fmt.Sprintf("GOMAXPROCS=%d", s.Procs))
	}
	return list
}

func hasKey(m map[string]*string, name string) bool {
	_, ok := m[name]
	return ok
}

// writeJSON writes a file that readers see whole or not at all.
func writeJSON(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".tmp", text, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".tmp", name)
}

// keep makes a second name for a program's file: go run and go test remove it when the
// program ends. Another file system needs a copy.
func (s *Session) keep(name string) (string, error) {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	kept := filepath.Join(s.Dir, fmt.Sprintf("binary-%d", os.Getpid()))
	if err := os.Link(name, kept); err == nil || errors.Is(err, fs.ErrExist) {
		return kept, nil
	}
	return kept, copyFile(kept, name)
}
