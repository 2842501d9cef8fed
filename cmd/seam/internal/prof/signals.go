package prof

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Signals is what the processes of a run noted about their handlers of signals.
type Signals struct {
	Processes int
	Unknown   []string // why some could not look
	Findings  []string
}

// ReadSignals reads the notes in a folder.
func ReadSignals(dir string) (s Signals, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.signals"))
	if err != nil {
		return s, err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return s, err
		}
		s.Processes++
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if path, why, _ := strings.Cut(lines[0], " "); path != "tables" {
			s.Unknown = append(s.Unknown, why)
		}
		s.Findings = append(s.Findings, lines[1:]...)
	}
	slices.Sort(s.Findings)
	s.Findings = slices.Compact(s.Findings)
	return s, nil
}
