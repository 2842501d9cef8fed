package cli

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	vetmeasured "github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
)

// vetFigures are the files whose figures rules may quote.
type vetFigures struct {
	Lab     string `placeholder:"FILE" help:"Prices of this machine, written by seam lab --json (default: seam.lab.json in the root of the main module, if it exists)."`
	Trace   string `placeholder:"FILE" help:"How often a program calls C (default: seam.trace in the same place)."`
	Profile string `placeholder:"FILE" help:"Where its time goes: a CPU profile of Go."`
}

// measured reads the files. One that was asked for has to be right; one that only lies there
// is told about.
func (v vetFigures) measured(s *session, root string, flags []string) (*vetmeasured.Facts, error) {
	m := &vetmeasured.Facts{}
	read := func(asked, usual string, add func(name string) error) error {
		err := add(cmp.Or(asked, filepath.Join(root, usual)))
		if err == nil || asked == "" && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if asked == "" {
			fmt.Fprintf(s.stderr, "seam: %s is left out: %v\n", usual, err)
			return nil
		}
		return err
	}
	err := errors.Join(
		read(v.Lab, "seam.lab.json", func(name string) error { return addLab(m, name) }),
		read(v.Trace, "seam.trace", func(name string) error { return addTrace(m, name) }),
	)
	if err == nil && v.Profile != "" {
		err = m.AddProfile(v.Profile)
		m.Code = vetmeasured.Code(s.ctx, "go", "", flags)
	}
	if err != nil || m.Key == "" {
		return nil, err
	}
	return m, nil
}

// addLab adds the prices of a run of the lab on this machine.
func addLab(m *vetmeasured.Facts, name string) error {
	run, err := readLab(name)
	if err != nil {
		return err
	}
	if here := machine.Read().CPU; run.Machine.CPU != here {
		return fmt.Errorf("%s is from another machine (%s; this is %s)", name, run.Machine.CPU, here)
	}
	for _, e := range run.Experiments {
		for _, series := range e.Series {
			if series.NotMeasured != "" || series.Unit != "ns/op" {
				continue
			}
			if price := priceOf(m, series); price != nil {
				*price = series.Median
			}
		}
	}
	return addKey(m, name)
}

func priceOf(m *vetmeasured.Facts, s result.Series) *float64 {
	switch s.Name {
	case "Call/via=cgo":
		return &m.Cgo
	case "Call/via=leaf":
		return &m.Leaf
	case "Callback/via=cgo":
		return &m.Callback
	case "Callback/via=coro":
		return &m.Upcall
	case "Spawn/kind=goroutine":
		return &m.Goroutine
	}
	return nil
}

// addTrace adds how often a second each line called each C function, all processes together.
func addTrace(m *vetmeasured.Facts, name string) error {
	t, err := calltrace.Read(name)
	if err != nil {
		return err
	}
	var ns int64
	for _, p := range t.Processes {
		ns += p.WallNS
	}
	if ns <= 0 {
		return fmt.Errorf("%s has no process that took time", name)
	}
	m.Calls = map[vetmeasured.Site]float64{}
	for _, f := range t.Functions {
		for _, c := range f.Callers {
			if len(c.Stack) > 0 {
				m.Calls[vetmeasured.At(f.Package, f.Name, c.Stack[0].File, c.Stack[0].Line)] += float64(c.Calls) * 1e9 / float64(ns)
			}
		}
	}
	return addKey(m, name)
}

// addKey makes what a file says part of what a search depends on.
func addKey(m *vetmeasured.Facts, name string) error {
	data, err := os.ReadFile(name)
	m.Key += fmt.Sprintf(" %x", sha256.Sum256(data))
	return err
}
