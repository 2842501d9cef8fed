package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// A processRecord is what one process recorded about itself.
type processRecord[T any] struct {
	name    string
	raw     T
	running bool // the process is still there
}

// A recorder is a verb whose programs record something about themselves.
type recorder struct {
	verb     string // also the mode of its sessions
	variable string // of the environment, which names the folder to record in
	program  string // what it builds: "traced program"
}

// A recordingGo is a go command in a session of a recorder.
type recordingGo struct {
	*job.Job
	argv    []string
	records string // the folder of the programs that it runs
}

// goCommand makes a go command one that builds programs which record.
func (r recorder) goCommand(c *gotool.Command) (*recordingGo, error) {
	work, err := job.Create(job.Job{Mode: r.verb})
	if err != nil {
		return nil, withCode(exitFailed, err)
	}
	records := filepath.Join(work.Dir, "raw")
	flag, err := toolexecFlag(work.Dir)
	if err == nil {
		err = withCode(exitFailed, os.Mkdir(records, 0o700))
	}
	if err != nil {
		work.Remove()
		return nil, err
	}
	flags := []string{flag}
	// A result from the go command's cache would mean that nothing ran.
	if _, given := c.Flag("count"); c.Verb == "test" && !given && !c.Has("c") {
		flags = append(flags, "-count=1")
	}
	return &recordingGo{work, c.With(flags...), records}, nil
}

// runsProgram tells whether a go command runs what it builds.
func runsProgram(c *gotool.Command) bool {
	return c.Verb == "run" || c.Verb == "test" && !c.Has("c")
}

// folder is where programs record that nobody told anything: what the variable
// says, else below the user's cache. The C side finds it by the same rule.
func (r recorder) folder() (string, error) {
	if dir := os.Getenv(r.variable); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return filepath.Join(dir, "seam", r.verb), nil
	}
	if dir := os.Getenv("HOME"); dir != "" {
		return filepath.Join(dir, ".cache", "seam", r.verb), nil
	}
	return "", fmt.Errorf("neither %s nor HOME is set: name the folder in which the program recorded", r.variable)
}

// built tells what becomes of a program that was only built: where it records what,
// and what to do with that.
func (r recorder) built(s *session, what, next string) error {
	dir, err := r.folder()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stderr, "seam: the program records %s whenever it runs, in $%s or, if that is not set, %s\n"+
		"seam: %s with: seam %s --collect\n", what, r.variable, dir, next, r.verb)
	return withCode(exitFailed, err)
}

// collectRecords reads the records of programs that were started by hand, of which
// there has to be one.
func collectRecords[T interface{ Of() recording.Process }](s *session, r recorder, places []string, read func(name string) (T, error)) ([]processRecord[T], error) {
	if len(places) == 0 {
		dir, err := r.folder()
		if err != nil {
			return nil, err
		}
		places = []string{dir}
	}
	list, err := readRecords(s.stderr, r, places, read)
	if err == nil && len(list) == 0 {
		err = withCode(exitFailed, fmt.Errorf("no record of a %s in %s: build one with seam %s -- go build, and run it", r.program, strings.Join(places, ", "), r.verb))
	}
	return list, err
}

// readRecords reads the records in folders, or such files, by start. What is not
// one is told, and left.
func readRecords[T interface{ Of() recording.Process }](stderr io.Writer, r recorder, places []string, read func(name string) (T, error)) ([]processRecord[T], error) {
	var list []processRecord[T]
	for _, place := range places {
		info, err := os.Stat(place)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(places) == 1:
			return nil, fmt.Errorf("%s: no such folder: no %s has recorded there", place, r.program)
		case err != nil:
			return nil, err
		}
		names := []string{place}
		if info.IsDir() {
			entries, err := os.ReadDir(place)
			if err != nil {
				return nil, err
			}
			names = nil
			for _, e := range entries {
				if filepath.Ext(e.Name()) == ".raw" {
					names = append(names, filepath.Join(place, e.Name()))
				}
			}
		}
		for _, name := range names {
			raw, err := read(name)
			if err != nil {
				if !info.IsDir() {
					return nil, err
				}
				fmt.Fprintf(stderr, "seam: left out: %v\n", err)
				continue
			}
			list = append(list, processRecord[T]{name, raw, raw.Of().Running()})
		}
	}
	slices.SortStableFunc(list, func(a, b processRecord[T]) int { return a.raw.Of().Start.Compare(b.raw.Of().Start) })
	return list, nil
}

// values are the records by themselves.
func values[T any](list []processRecord[T]) []T {
	raws := make([]T, len(list))
	for i, r := range list {
		raws[i] = r.raw
	}
	return raws
}

// removeRecords removes the records that were collected. A process that still
// runs goes on recording.
func removeRecords[T any](list []processRecord[T]) error {
	var errs error
	for _, r := range list {
		if !r.running {
			errs = errors.Join(errs, os.Remove(r.name))
		}
	}
	return errs
}
