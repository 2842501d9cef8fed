package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/memory"
	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/leaks"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// leaksVerb is the verb that finds what Go gets from C's malloc and nobody
// frees.
type leaksVerb struct {
	JSON    *string  `name:"json" help:"Write everything, for other programs." placeholder:"FILE"`
	Pprof   *string  `help:"Write a profile for go tool pprof too." placeholder:"FILE"`
	Check   bool     `help:"End with code 1 if anything was never freed, or freed wrongly."`
	Growing bool     `help:"Report only what grew until the end of the run, what may have, and wrong frees; --check then fails for these, with code 3 if it can't be told."`
	All     bool     `help:"Show all leaks with whole stacks, not just what matters."`
	Collect bool     `help:"Report on programs that were built by seam leaks and started later; the arguments are folders or files of their recordings."`
	Args    []string `arg:"" optional:"" passthrough:"" name:"go" help:"The go command: go build, install, run or test with its arguments, after --."`
}

func (leaksVerb) examples() string {
	return `Examples:
  seam leaks -- go run ./cmd/server
  seam leaks --check -- go test ./...
  seam leaks --pprof leaks.pprof -- go run . && go tool pprof -http : leaks.pprof
  seam leaks -- go build -o server ./cmd/server && ./server; seam leaks --collect

Tracks what all packages outside the standard library get from C.CString,
C.CBytes, C.malloc, C.calloc, C.realloc, C.strdup and the like, and sees every
free, in Go, C and shared libraries. The program's own output and exit code stay
as they are. A program built by seam leaks records whenever it runs: in the
folder $SEAM_LEAKS or, if that is not set, in $XDG_CACHE_HOME/seam/leaks
(~/.cache/seam/leaks). --collect reports on the recordings there that are of
this module and removes them; it names whose the others are.
`
}

func (v *leaksVerb) Run(s *session) error {
	if err := checkOutputs(outputFlag{"--json", v.JSON}, outputFlag{"--pprof", v.Pprof}); err != nil {
		return err
	}
	args := dropDashes(v.Args)
	switch {
	case v.Collect:
		return v.collect(s, args)
	case len(args) == 0:
		return errors.New("nothing to search for leaks: name a go command, for example: seam leaks -- go test")
	}
	return v.goCommand(s, args)
}

var leakRecorder = &job.Recorder[*leaks.Record]{
	Mode: job.ModeLeaks, Variable: "SEAM_LEAKS", Program: "program that was built by seam leaks", Read: leaks.ReadRecord,
	NoC:    "the program has no C that it could get memory from",
	Silent: "one in which no package calls C.CString, C.malloc or the like leaves none: seam rss and seam heap see what C allocates by itself",
	Done:   "searched for leaks", What: "what it gets from C", Next: "see what it never freed",
}

// goCommand runs a go command whose program is searched for leaks.
func (v *leaksVerb) goCommand(s *session, args []string) error {
	r, err := leakRecorder.Parse(s.ctx, args)
	if err != nil {
		return err
	}
	if r.Command.Has("asan") || r.Command.Has("msan") {
		return errors.New("-asan and -msan bring a malloc and a free of their own, which seam can't look into; leave them out")
	}
	watched := watchProcesses(0, outsideToolchain(s.ctx, r.Command))
	records, done, runErr := record(s, r, func() error { return v.skipped(s, r) })
	report, _ := watched() // without it nothing is said of RSS
	switch {
	case done:
		return runErr
	case len(records.List) == 1: // of several nobody knows when each ended
		records.List[0].Record.UntilCommand(r.Ended)
	}
	file := mergeLeaks(records)
	if file.Go == "" {
		file.Go = r.Env.GOVERSION
	}
	file.OS, file.Arch = r.Env.GOOS, r.Env.GOARCH
	file.Module, file.Command, file.Time = r.Module, args, r.Started.UTC()
	if seen := resident(report); seen != nil && (file.Resident == nil || len(report.Samples) > 1) { // which knows the parts
		for _, r := range records.List {
			if r.Record.PID == seen.PID {
				seen.Later, seen.Freed = r.Record.FreedSince(report.Last.Time)
			}
		}
		file.Resident = seen
	}
	return v.conclude(s, file, r.Root, runErr)
}

// resident is what was seen of a process from outside; nil if nothing was.
func resident(r *memory.Report) *leaks.Resident {
	if r == nil {
		return nil
	}
	others := []account.Kind{account.CFree, account.CUnknown, account.Stacks, account.OldStacks, account.Anonymous}
	if len(r.Samples) == 1 { // all of it since the process began
		once := &leaks.Resident{PID: r.Last.PID, First: r.Last.RSS, Last: r.Last.RSS, Mixed: true, Unclear: "its memory was looked at once",
			Sentence: r.Sentence(), Verdict: "One look doesn't say whether it grows."}
		for _, k := range append(others, account.CUsed) {
			once.Other += int64(r.Last.Of(k))
		}
		return once
	}
	rises, unclear := r.Outside()
	return &leaks.Resident{
		PID: r.Last.PID, First: r.First.RSS, Last: r.Last.RSS,
		Malloc: r.Grew(account.CUsed), Blocks: r.GrewBlocks(), Other: r.Grew(others...),
		Mixed: r.OtherAllocator() != "",
		Rises: rises, Unclear: unclear, Sentence: r.Sentence(), Verdict: r.Judged(),
	}
}

// skipped tells which functions could not be tracked.
func (v *leaksVerb) skipped(s *session, r *job.Recording[*leaks.Record]) error {
	reports, err := r.Reports()
	if err != nil {
		return withCode(exitFailed, err)
	}
	for _, r := range reports {
		for _, l := range r.Skipped {
			fmt.Fprintf(s.stderr, "seam: %s: C.%s is not tracked: %s\n", r.Package, l.Func, l.Reason)
		}
	}
	return nil
}

func (v *leaksVerb) collect(s *session, args []string) error {
	records, err := collectRecords(s, leakRecorder, args)
	if err != nil {
		return err
	}
	now := time.Now()
	for _, r := range records.List {
		if r.Running {
			r.Record.Until(now)
		}
	}
	file := mergeLeaks(records)
	first := records.List[0].Record
	file.OS, file.Arch = first.OS, first.Arch
	file.Module, file.Command, file.Time = records.Module(), first.Command(), first.Start
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	err = v.conclude(s, file, dir, nil)
	var found *coded
	if err != nil && !(errors.As(err, &found) && found.code == exitFinding) {
		return err // the records stay
	}
	return errors.Join(err, withCode(exitFailed, records.Remove()))
}

func mergeLeaks(records job.Recordings[*leaks.Record]) *leaks.File {
	file := leaks.Merge(records.Records())
	file.Seam, file.LeftOut = toolVersion(), records.LeftOut
	for i, r := range records.List {
		file.Processes[i].Running = r.Running
	}
	return file
}

// collectRecords reads what programs recorded that were started by hand.
func collectRecords[T recording.Record](s *session, r *job.Recorder[T], places []string) (job.Recordings[T], error) {
	// Outside of modules, or without a go command, it is for the records to agree.
	modules, _ := gotool.MainModules(s.ctx, "go", "")
	records, err := r.Collect(s.stderr, places, modules)
	if errors.Is(err, job.ErrNoRecord) {
		err = withCode(exitFailed, err)
	}
	return records, err
}

// writeFiles writes what --json and --pprof ask for, and says where the report belongs: not
// where a file goes.
func (v *leaksVerb) writeFiles(s *session, f *leaks.File) (report io.Writer, errs error) {
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	report = s.stderr // standard output is the program's
	if v.Collect {
		report = s.stdout
	}
	for _, file := range []struct {
		name  *string
		write func() error
	}{
		{v.JSON, func() error { return to.Write(s.ctx, *v.JSON, f.Encode) }},
		{v.Pprof, func() error { return to.Write(s.ctx, *v.Pprof, f.WriteProfile) }},
	} {
		if file.name != nil {
			errs = errors.Join(errs, file.write())
			if output.IsStdout(*file.name) {
				report = s.stderr
			}
		}
	}
	return report, errs
}

// conclude writes the files and the report, and says whether there was a
// finding. An interrupt has ended the program, and not this.
func (v *leaksVerb) conclude(s *session, f *leaks.File, dir string, runErr error) error {
	if v.Growing {
		f.OnlyGrowing()
	}
	table, errs := v.writeFiles(s, f)
	if err := f.WriteText(table, leaks.TextOptions{Options: terminal.Of(table).Options, All: v.All, Dir: dir}); err != nil {
		errs = errors.Join(errs, fmt.Errorf("cannot write the report: %w", err))
	}
	if errs != nil {
		return errors.Join(runErr, withCode(exitFailed, errs))
	}
	if runErr != nil {
		return runErr
	}
	if v.Check {
		if err := v.check(f); err != nil {
			return err
		}
	}
	if gaps := f.Gaps(); len(gaps) > 0 {
		return incomplete(gaps)
	}
	return nil
}

// check says what of a report fails a run with --check: what is certain with code 1,
// and with code 3 that with --growing it can't be told.
func (v *leaksVerb) check(f *leaks.File) error {
	var what []string
	found, unclear := f.Sites(), 0
	if v.Growing {
		unclear = f.SitesOf(leaks.Unclear)
		found -= unclear
	}
	if found > 0 {
		what = append(what, fmt.Sprintf("memory from %s was never freed", quantity.Plural(found, "place")))
	}
	if n := len(f.Wrong); n > 0 {
		what = append(what, fmt.Sprintf("memory was freed wrongly in %s", quantity.Plural(n, "way")))
	}
	switch {
	case len(what) > 0:
		return withCode(exitFinding, errors.New("--check: "+strings.Join(what, ", and ")))
	case f.Unexplained() > 0 && f.Resident.Rises:
		return withCode(exitFailed, fmt.Errorf("--check: memory grows by what isn't tracked (%s), so this is no proof that nothing leaks: seam heap says by whom", quantity.Bytes(float64(f.Unexplained()))))
	case f.Unexplained() > 0 && f.Resident.Unclear != "":
		return withCode(exitFailed, fmt.Errorf("--check: memory grew by what isn't tracked (%s), and it can't be told whether it goes on, so this is no proof that nothing leaks: %s; run longer, or ask seam heap", quantity.Bytes(float64(f.Unexplained())), f.Resident.Unclear))
	case unclear > 0:
		return withCode(exitFailed, fmt.Errorf("--check: of %s it can't be told whether what it holds grows; run longer or more often, for example with go test -count=20", quantity.Plural(unclear, "place")))
	}
	return nil
}
