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
	"github.com/seamgo/seam/cmd/seam/internal/vet/load"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// Report is what a search has found. Names of files are relative to the folder it ran in.
type Report struct {
	Seam     string    `json:"seam"`
	Packages int       `json:"packages"` // searched
	Findings []Finding `json:"findings"`
	Problems []string  `json:"problems,omitempty"` // what could not be known
	Ignored  int       `json:"ignored"`            // by comments
	Baseline int       `json:"baseline"`           // known to the baseline file
}

// Finding is one mistake.
type Finding struct {
	Rule      string        `json:"rule"`
	Severity  rule.Severity `json:"severity"`
	Message   string        `json:"message"`
	Package   string        `json:"package"`
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
func (r *Report) conclude(o Options) (*Report, error) {
	lines := newSources()
	dir := workingDir(o.Dir)
	shown := []Finding{}
	for _, f := range r.Findings {
		f.Source = lines.line(f.File, f.Line)
		if o.Config != nil {
			f.Severity = o.Config.severity(f)
		}
		if f.Severity == Off {
			continue
		}
		switch reason, found := lines.ignored(f); {
		case found && reason == "":
			r.Problems = append(r.Problems, fmt.Sprintf("%s:%d: //seam:ignore %s gives no reason, so it is not obeyed: write why after the rule's name", relative(dir, f.File), f.Line, f.Rule))
		case found:
			r.Ignored++
			continue
		}
		shown = append(shown, f)
	}
	for i := range shown {
		shown[i].File = relative(dir, shown[i].File)
		for k := range shown[i].Also {
			shown[i].Also[k].File = relative(dir, shown[i].Also[k].File)
		}
	}
	r.Findings = shown
	return r, nil
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

// ignored looks for //seam:ignore RULE REASON on the line of a finding, or above it.
func (s *sources) ignored(f Finding) (reason string, found bool) {
	_, comment, ok := strings.Cut(s.line(f.File, f.Line), rule.IgnoreComment)
	for n := f.Line - 1; !ok && n > 0; n-- {
		above := strings.TrimSpace(s.line(f.File, n))
		if !strings.HasPrefix(above, "//") {
			break
		}
		comment, ok = strings.CutPrefix(above, rule.IgnoreComment)
	}
	if !ok {
		return "", false
	}
	name, reason, _ := strings.Cut(strings.TrimSpace(comment), " ")
	return strings.TrimSpace(reason), slices.Contains(strings.Split(name, ","), f.Rule)
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
	parts := []string{"vet-run-2", fmt.Sprint(self, info.Size(), info.ModTime().UnixNano()), strings.Join(o.Flags, " ")}
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
	Packages int
	Findings []Finding
	Problems []string
	Unseen   map[string]string // C that wasn't seen, as of [load.Program]
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
