package vet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
	"github.com/seamgo/seam/cmd/seam/internal/vet/badignore"
	"github.com/seamgo/seam/cmd/seam/internal/vet/cgoloop"
	"github.com/seamgo/seam/cmd/seam/internal/vet/faterrorpath"
	"github.com/seamgo/seam/cmd/seam/internal/vet/load"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Report is what a search has found. Names of files are relative to the folder it ran in.
type Report struct {
	Seam     string    `json:"seam"`
	Packages int       `json:"packages"` // searched
	Findings []Finding `json:"findings"`
	Problems []string  `json:"problems,omitempty"` // what could not be known
	Broken   bool      `json:"broken,omitempty"`   // some of it because Go code doesn't compile or isn't there
	Ignored  int       `json:"ignored"`            // by comments
	Baseline int       `json:"baseline"`           // known to the baseline file

	NoC       bool     `json:"noC,omitempty"`       // none of the packages has C
	Elsewhere []string `json:"elsewhere,omitempty"` // packages that they import, have C and were not searched

	Evidence []Evidence `json:"-"` // by which findings are marked, see Confirm
}

// Finding is one mistake.
type Finding struct {
	Rule      string        `json:"rule"`
	Severity  rule.Severity `json:"severity"`
	Message   string        `json:"message"`
	Package   string        `json:"package"`
	Other     bool          `json:"otherModule,omitempty"` // it is in no file that is the user's to change
	File      string        `json:"file"`
	Line      int           `json:"line"`
	Column    int           `json:"column"`
	EndLine   int           `json:"endLine"`
	EndColumn int           `json:"endColumn"`
	Source    string        `json:"source"` // the line
	Also      []Also        `json:"also,omitempty"`
	Fixes     []Fix         `json:"fixes,omitempty"`
	Confirmed *Seen         `json:"confirmed,omitempty"` // nil: nothing was run that could show it
}

// Also is a further place of a finding.
type Also struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// Fix is a change that mends a finding.
type Fix struct {
	Message string `json:"message"`
	Edits   []Edit `json:"edits"`
}

// Edit replaces the bytes from Start to End.
type Edit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

var kind = &jsonfile.Kind{
	Schema: "seam.vet/1", Name: "a report of seam vet", Make: "seam vet --json FILE",
	Has: []string{"findings"}, Bytes: 256 << 20,
}

// WriteJSON writes the report for other programs.
func (r *Report) WriteJSON(w io.Writer) error { return kind.Encode(w, r) }

// Check finds what contradicts itself in a report that was read.
func (r *Report) Check() error {
	for _, f := range r.Findings {
		if f.Rule == "" || f.Line < 1 {
			return errors.New("a finding has no rule or no line")
		}
	}
	return nil
}

// Count is the number of findings of a severity.
func (r *Report) Count(s rule.Severity) (n int) {
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// conclude takes out what the user doesn't want to see.
func (r *Report) conclude(o Options, k kept) (*Report, error) {
	r.Packages, r.Problems, r.Broken, r.NoC, r.Elsewhere = k.Packages, k.Problems, k.Broken, !k.WithC, k.Elsewhere
	lines := newSources()
	dir := workingDir(o.Dir)
	r.Findings = []Finding{}
	used := make([]map[string]bool, len(k.Ignores)) // by the comment, for which rules it ignores something
	add := func(f Finding) {
		if o.Config != nil {
			f.Severity = o.Config.severity(f)
		}
		if f.Severity == Off {
			return
		}
		for i := range k.Ignores {
			if k.Ignores[i].Covers(Named(f.Rule), f.File, f.Line) {
				if used[i] == nil {
					used[i] = map[string]bool{}
				}
				used[i][f.Rule] = true
				r.Ignored++
				return
			}
		}
		f.Source = lines.line(f.File, f.Line)
		f.File = relative(dir, f.File)
		for i := range f.Also {
			f.Also[i].File = relative(dir, f.Also[i].File)
		}
		r.Findings = append(r.Findings, f)
	}
	for _, f := range k.Findings {
		add(f)
	}
	for i := range k.Ignores {
		if f, ok := unused(&k.Ignores[i], used[i], o); ok {
			add(f)
		}
	}
	slices.SortStableFunc(r.Findings, inOrder)
	return r, nil
}

// unused is the finding that a comment ignores nothing of what it names.
func unused(i *ignore, used map[string]bool, o Options) (f Finding, ok bool) {
	if i.Reason == "" || !i.Whole || !slices.Contains(o.Rules, badignore.Rule) {
		return f, false
	}
	searched := func(r *rule.Rule) bool { return slices.Contains(o.Rules, r) && !o.Config.off(r.Name) }
	ignores := func(r *rule.Rule) bool { return used[r.Name] || r == cgoloop.Rule || r == faterrorpath.Rule }
	var idle []string
	for _, name := range i.Rules {
		rules := named(name)
		if len(rules) == 0 {
			return f, false // which is said already
		}
		if all(rules, searched) && !slices.ContainsFunc(rules, ignores) {
			idle = append(idle, name)
		}
	}
	return Finding{
		Rule: badignore.Rule.Name, Severity: rule.Warning, Package: i.Package,
		File: i.File, Line: i.Line, Column: i.Column, EndLine: i.Line, EndColumn: i.EndColumn,
		Message: fmt.Sprintf("%s %s ignores nothing here: take it out", rule.IgnoreComment, strings.Join(idle, ",")),
	}, len(idle) > 0
}

func all[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !is(x) })
}

// sources are the lines of the files in which something was found.
type sources struct{ files map[string][]string }

func newSources() *sources { return &sources{map[string][]string{}} }

func (s *sources) line(file string, n int) string {
	lines, ok := s.files[file]
	if !ok {
		if text, err := os.ReadFile(file); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		s.files[file] = lines
	}
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[n-1], "\r")
}

// keysOf names a run by all that its answer depends on: seam, the rules, and all files of
// all packages outside of the standard library.
func keysOf(list []gotool.Package, o Options) *filecache.Key {
	if o.Cache == nil {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	info, err := os.Stat(self)
	if err != nil {
		return nil
	}
	parts := []string{"vet-run-3", fmt.Sprint(self, info.Size(), info.ModTime().UnixNano()), strings.Join(o.Flags, " ")}
	if o.Measured != nil {
		parts = append(parts, o.Measured.Key)
	}
	for _, r := range o.Rules {
		parts = append(parts, r.Name)
	}
	for _, p := range list {
		parts = append(parts, p.ImportPath, fmt.Sprint(p.DepOnly))
		if p.Standard {
			continue
		}
		key, ok := load.FilesKey(p)
		if !ok {
			return nil
		}
		parts = append(parts, string(key[:]))
	}
	key := filecache.KeyOf(parts...)
	return &key
}

// kept is what the cache has of a run.
type kept struct {
	Packages  int
	WithC     bool     // one of them has C
	Elsewhere []string // see [Report]
	Findings  []Finding
	Problems  []string
	Broken    bool
	Unseen    map[string]string // C that wasn't seen, as of [load.Program]
	Ignores   []ignore
}

// ignore is a comment that ignores findings.
type ignore struct {
	rule.Ignore
	Package string
	Whole   bool // nothing kept the package from being seen whole
}

func fromCache(c *filecache.Cache, key *filecache.Key) (k kept, ok bool) {
	if key == nil {
		return k, false
	}
	data, ok := c.Get(*key)
	return k, ok && json.Unmarshal(data, &k) == nil
}

func toCache(c *filecache.Cache, key *filecache.Key, k kept) {
	if key == nil {
		return
	}
	if data, err := json.Marshal(k); err == nil {
		_ = c.Put(*key, data) // without it the next run takes longer
	}
	c.Trim()
}
