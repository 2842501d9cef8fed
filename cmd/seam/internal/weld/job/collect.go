package job

import (
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// Recorded is what one process recorded about itself.
type Recorded[T recording.Record] struct {
	Record  T
	Running bool // the process is still there
	file    string
}

// Recordings are those of a run.
type Recordings[T recording.Record] struct {
	List    []Recorded[T] // by their start
	LeftOut []string      // what could not be read: file and reason
}

// Records are those of all processes by themselves.
func (l Recordings[T]) Records() []T {
	records := make([]T, len(l.List))
	for i, r := range l.List {
		records[i] = r.Record
	}
	return records
}

// ErrNoRecord says that there is nothing to collect.
var ErrNoRecord = errors.New("no record")

// Collect reads the records of programs that were started by hand, from folders or
// files; by default from where they record if nobody told them anything. Of a folder it
// takes those of the main modules that are named, and tells whose the others are, which it
// leaves; of no module, as elsewhere than in one, it takes all if they are of one. What is
// not a record is told, and left.
func (r *Recorder[T]) Collect(stderr io.Writer, places, modules []string) (list Recordings[T], err error) {
	if len(places) == 0 {
		dir, err := r.folder()
		if err != nil {
			return list, err
		}
		places = []string{dir}
	}
	if list, err = r.read(stderr, places); err != nil {
		return list, err
	}
	where := strings.Join(places, ", ")
	others := list.split(places, modules)
	if len(modules) == 0 && len(others) > 1 {
		return list, fmt.Errorf("%s has recordings of several modules (%s): collect them in a module's folder, or name the files", where, strings.Join(others, ", "))
	}
	switch {
	case len(list.List) > 0:
		if len(modules) > 0 && len(others) > 0 {
			fmt.Fprintf(stderr, "seam: left in %s: recordings of %s; in that module's folder seam %s --collect takes them\n", where, strings.Join(others, ", "), r.Mode)
		}
	case len(others) > 0:
		err = fmt.Errorf("%w of a %s of %s in %s, only of %s: collect those in that module's folder, or name the files%s", ErrNoRecord, r.Program, strings.Join(modules, " or "), where, strings.Join(others, ", "), r.silent())
	case len(list.LeftOut) > 0:
		err = fmt.Errorf("%w that can be read: of those in %s %d are left out, so nothing is known of their processes", ErrNoRecord, where, len(list.LeftOut))
	default:
		err = fmt.Errorf("%w of a %s in %s: build one with seam %s -- go build, and run it%s", ErrNoRecord, r.Program, where, r.Mode, r.silent())
	}
	return list, err
}

func (r *Recorder[T]) silent() string {
	if r.Silent == "" {
		return ""
	}
	return " (" + r.Silent + ")"
}

// split takes out what is of other modules, unless its file was named, and returns these
// modules with their numbers of records; of no module, it returns all and takes nothing out.
func (l *Recordings[T]) split(places, modules []string) []string {
	var kept []Recorded[T]
	count := map[string]int{}
	for _, r := range l.List {
		main := module(r.Record.Of())
		// What doesn't say whose it is, as a process that could not record, nobody else would take.
		own := main == "" || slices.Contains(modules, main) || slices.Contains(places, r.file)
		if own || len(modules) == 0 {
			kept = append(kept, r)
		}
		if !own {
			count[main]++
		}
	}
	l.List = kept
	var others []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		others = append(others, fmt.Sprintf("%s (%d)", cmp.Or(name, "an unknown module"), count[name]))
	}
	return others
}

// module is that of a record. Programs that older versions of seam have built don't say it,
// but their executable may still be there.
func module(p recording.Process) string {
	if p.Main != "" || p.Exe == "" {
		return p.Main
	}
	info, err := buildinfo.ReadFile(p.Exe)
	if err != nil {
		return ""
	}
	return info.Main.Path
}

// Module is the main module of all records; "" if they are of several, or it isn't known.
func (l Recordings[T]) Module() string {
	var one string
	for i, r := range l.List {
		main := module(r.Record.Of())
		if i > 0 && main != one || filepath.IsAbs(main) {
			return ""
		}
		one = main
	}
	return one
}

// Remove removes the records that were collected. A process that still runs goes on
// recording.
func (l Recordings[T]) Remove() error {
	var errs error
	for _, r := range l.List {
		if !r.Running {
			errs = errors.Join(errs, os.Remove(r.file))
		}
	}
	return errs
}

// folder is where programs record that nobody told anything: what the variable
// says, else below the user's cache. The C side finds it by the same rule.
func (r *Recorder[T]) folder() (string, error) {
	if dir := os.Getenv(r.Variable); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return filepath.Join(dir, "seam", r.Mode), nil
	}
	if dir := os.Getenv("HOME"); dir != "" {
		return filepath.Join(dir, ".cache", "seam", r.Mode), nil
	}
	return "", fmt.Errorf("neither %s nor HOME is set: name the folder in which the program recorded", r.Variable)
}

// read reads records.
func (r *Recorder[T]) read(stderr io.Writer, places []string) (list Recordings[T], err error) {
	for _, place := range places {
		info, err := os.Stat(place)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(places) == 1:
			return list, fmt.Errorf("%s: no such folder: no %s has recorded there", place, r.Program)
		case err != nil:
			return list, err
		}
		names := []string{place}
		if info.IsDir() {
			entries, err := os.ReadDir(place)
			if err != nil {
				return list, err
			}
			names = nil
			for _, e := range entries {
				if filepath.Ext(e.Name()) == ".raw" {
					names = append(names, filepath.Join(place, e.Name()))
				}
			}
		}
		for _, name := range names {
			record, err := r.Read(name)
			if err != nil {
				if !info.IsDir() {
					return list, err
				}
				fmt.Fprintf(stderr, "seam: left out: %v\n", err)
				list.LeftOut = append(list.LeftOut, err.Error())
				continue
			}
			list.List = append(list.List, Recorded[T]{record, record.Of().Running(), name})
		}
	}
	slices.SortStableFunc(list.List, func(a, b Recorded[T]) int { return a.Record.Of().Start.Compare(b.Record.Of().Start) })
	return list, nil
}
