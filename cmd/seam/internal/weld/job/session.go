// Package session is what a verb of seam that builds a program hands to the
// processes that the go command starts for it (seam toolexec): a folder with a
// file that says what to do, and where they leave what they did.
package job

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/leaks"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// The modes.
const (
	Weld  = "weld"
	Trace = "trace"
	Leaks = "leaks"
)

// Session says what to do with a build.
type Session struct {
	Dir  string     `json:"-"` // of this session; "" for a build started by hand
	Mode string     `json:"mode"`
	Plan *plan.Plan `json:"plan,omitempty"` // to weld by
	Off  string     `json:"off,omitempty"`  // why nothing can be welded

	// Files is the package that go build main.go builds; "" where the go command
	// was not given files.
	Files string `json:"files,omitempty"`

	// Build is that of the Store in which what became of packages is kept.
	Build string `json:"build,omitempty"`
}

const (
	fileName = "session.json"
	reports  = "reports"
	mistake  = "mistake"
)

// Create writes a session into a new folder.
func Create(s Session) (*Session, error) {
	dir, err := os.MkdirTemp("", "seam-")
	if err != nil {
		return nil, err
	}
	s.Dir = dir
	text, err := json.Marshal(s)
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, reports), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fileName), text, 0o600)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &s, nil
}

// Open reads the session in a folder.
func Open(dir string) (*Session, error) {
	text, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		return nil, fmt.Errorf("no session of seam: %w", err)
	}
	s := &Session{Dir: dir}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, fileName), err)
	}
	return s, nil
}

// Remove deletes the folder.
func (s *Session) Remove() { os.RemoveAll(s.Dir) }

// Transform is what the session does to packages.
func (s *Session) Transform() (toolexec.Transform, error) {
	switch {
	case s.Mode == Weld && s.Plan != nil:
		return &rewrite.Welder{Plan: s.Plan, Off: s.Off}, nil
	case s.Mode == Trace:
		return calltrace.Instrument{}, nil
	case s.Mode == Leaks:
		return leaks.Instrument{}, nil
	}
	return nil, fmt.Errorf("a session of seam with the unknown mode %q", s.Mode)
}

// A Report tells what became of a package.
type Report struct {
	Package string          `json:"package"`
	Done    []string        `json:"done"`
	Left    []toolexec.Left `json:"left"`
}

// Report leaves what became of a package in the session's folder, and in the
// store: at once, since the go command may have the package in its cache before a
// build is interrupted.
func (s *Session) Report(importPath string, r toolexec.Result) error {
	report := Report{Package: importPath, Done: r.Done, Left: r.Left}
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	if s.Mode == Weld {
		w := &rewrite.Welder{Plan: s.Plan, Off: s.Off}
		if err := (Store{Build: s.Build}).Add(w, report); err != nil {
			return err
		}
	}
	sum := sha256.Sum256([]byte(importPath))
	return os.WriteFile(filepath.Join(s.Dir, reports, hex.EncodeToString(sum[:12])+".json"), text, 0o600)
}

// FilesPath is the go command's name for a package that it was given as files.
const FilesPath = "command-line-arguments"

// ImportPath is the plan's name for what the go command calls a package.
func (s *Session) ImportPath(path string) string {
	if rest, ok := strings.CutPrefix(path, FilesPath); ok && s.Files != "" {
		return s.Files + rest // of a test: " [command-line-arguments.test]"
	}
	return path
}

// SetMistake notes that the build fails for a mistake in the plan.
func (s *Session) SetMistake() error {
	return os.WriteFile(filepath.Join(s.Dir, mistake), nil, 0o600)
}

// Mistake tells whether it was noted.
func (s *Session) Mistake() bool {
	_, err := os.Stat(filepath.Join(s.Dir, mistake))
	return err == nil
}

// Reports reads all of them, by package. A package that the go command took
// from its cache has none.
func (s *Session) Reports() ([]Report, error) {
	entries, err := os.ReadDir(filepath.Join(s.Dir, reports))
	if err != nil {
		return nil, err
	}
	var list []Report
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(s.Dir, reports, e.Name()))
		if err != nil {
			return nil, err
		}
		var r Report
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		list = append(list, r)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Package < list[j].Package })
	return list, nil
}
