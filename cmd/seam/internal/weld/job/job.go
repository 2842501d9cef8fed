// Package job is what a verb of seam that builds a program hands to the processes
// that the go command starts for it (seam toolexec): a folder with a file that says
// what to do, and where they report what they did.
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

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/gcstress"
	"github.com/seamgo/seam/cmd/seam/internal/weld/leaks"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// The modes, by the verbs.
const (
	ModeWeld   = "weld"
	ModeTrace  = "trace"
	ModeLeaks  = "leaks"
	ModeStress = "stress" // of seam vet --confirm
)

// Job says what to do with a build.
type Job struct {
	Dir  string     `json:"-"` // its folder; "" for a build started by hand
	Mode string     `json:"mode"`
	Plan *plan.Plan `json:"plan,omitempty"` // to weld by
	Off  string     `json:"off,omitempty"`  // why nothing can be welded

	// Files is the package that go build main.go builds; "" where the go command
	// was not given files.
	Files string `json:"files,omitempty"`

	// Main is the main module, or the folder where there is none: what records say of a
	// program that doesn't know it.
	Main string `json:"main,omitempty"`

	// Chain is the user's own -toolexec: seam has it run the go command's tools.
	Chain []string `json:"chain,omitempty"`

	// Build is that of the Store in which what became of packages is kept.
	Build string `json:"build,omitempty"`
}

const (
	fileName = "job.json"
	reports  = "reports"
	mistake  = "mistake"
)

// Create writes a job into a new folder.
func Create(j Job) (*Job, error) {
	dir, err := os.MkdirTemp("", "seam-")
	if err != nil {
		return nil, err
	}
	j.Dir = dir
	text, err := json.Marshal(j)
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
	return &j, nil
}

// Open reads the job in a folder.
func Open(dir string) (*Job, error) {
	text, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		return nil, fmt.Errorf("no job of seam: %w", err)
	}
	j := &Job{Dir: dir}
	if err := json.Unmarshal(text, j); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, fileName), err)
	}
	return j, nil
}

// Remove deletes the job's folder and trims the cache of reports.
func (j *Job) Remove() {
	os.RemoveAll(j.Dir)
	if j.Mode == ModeWeld {
		cache, _ := filecache.Open(cacheName)
		cache.Trim()
	}
}

// ToolexecFlag is the flag that makes the go command call this program in front of
// its tools.
func (j *Job) ToolexecFlag() (string, error) {
	return gotool.SelfFlag("-toolexec", "toolexec", "--job", j.Dir)
}

// Transform is what the job does to packages.
func (j *Job) Transform() (toolexec.Transform, error) {
	switch {
	case j.Mode == ModeWeld && j.Plan != nil:
		return j.leaves().Transform(), nil
	case j.Mode == ModeTrace:
		return calltrace.Transform(), nil
	case j.Mode == ModeLeaks:
		return leaks.Transform(), nil
	case j.Mode == ModeStress:
		return gcstress.Transform(), nil
	}
	return toolexec.Transform{}, fmt.Errorf("a job of seam with the unknown mode %q", j.Mode)
}

func (j *Job) leaves() *rewrite.Leaves { return &rewrite.Leaves{Plan: j.Plan, Off: j.Off} }

// A Report says what became of a package.
type Report struct {
	Package string            `json:"package"`
	Done    []string          `json:"done"`
	Skipped []cgofile.Skipped `json:"skipped"`
}

// Report writes what became of a package to the job's folder and the store. It does so at
// once: when a build is interrupted the go command may already have the package in its cache.
func (j *Job) Report(p *cgofile.Package) error {
	report := Report{Package: p.ImportPath, Skipped: p.Skipped}
	for _, f := range p.Selected {
		report.Done = append(report.Done, f.Name)
	}
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	if j.Mode == ModeWeld {
		if err := (Store{Build: j.Build}).Add(j.leaves(), report); err != nil {
			return err
		}
	}
	sum := sha256.Sum256([]byte(p.ImportPath))
	return os.WriteFile(filepath.Join(j.Dir, reports, hex.EncodeToString(sum[:12])+".json"), text, 0o600)
}

// FilesPath is the go command's name for a package that it was given as files.
const FilesPath = "command-line-arguments"

// ImportPath is the plan's name for what the go command calls a package.
func (j *Job) ImportPath(path string) string {
	if rest, ok := strings.CutPrefix(path, FilesPath); ok && j.Files != "" {
		return j.Files + rest // of a test: " [command-line-arguments.test]"
	}
	return path
}

// SetMistake notes that the build fails because of a mistake in the plan.
func (j *Job) SetMistake() error {
	return os.WriteFile(filepath.Join(j.Dir, mistake), nil, 0o600)
}

// Mistake reports whether SetMistake was called.
func (j *Job) Mistake() bool {
	_, err := os.Stat(filepath.Join(j.Dir, mistake))
	return err == nil
}

// Reports reads all reports, sorted by package. A package that the go command took from its
// cache has none.
func (j *Job) Reports() ([]Report, error) {
	entries, err := os.ReadDir(filepath.Join(j.Dir, reports))
	if err != nil {
		return nil, err
	}
	var list []Report
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(j.Dir, reports, e.Name()))
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
