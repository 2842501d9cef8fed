package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/prof"
	"github.com/seamgo/seam/cmd/seam/internal/prof/inject"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// profVerb is the verb that shows where the time goes, in Go and in C.
type profVerb struct {
	Output     *string       `short:"o" help:"Write the profile for go tool pprof." placeholder:"FILE"`
	HTML       *string       `name:"html" help:"Write a page with a flame graph." placeholder:"FILE"`
	Folded     *string       `help:"Write folded stacks, for other flame graph tools." placeholder:"FILE"`
	Speedscope *string       `help:"Write a profile for speedscope.app." placeholder:"FILE"`
	Diff       *string       `help:"Compare with a profile that was written by -o before." placeholder:"OLD"`
	Rate       int           `default:"100" help:"Samples a second of CPU time, 1 to 10000."`
	PID        *int          `name:"pid" help:"Profile this process, which was built by seam prof -- go build and runs." placeholder:"N"`
	For        time.Duration `name:"for" default:"10s" help:"How long, with --pid; an interrupt ends it earlier." placeholder:"D"`
	Crash      *string       `help:"Add functions and lines of C to this report of a crash; name the program that crashed." placeholder:"FILE"`
	JSON       *string       `name:"json" help:"With --crash: write each crash as a line of JSON, as Sentry takes native events." placeholder:"FILE"`
	All        bool          `help:"Show all functions, not just those with the most time."`
	Args       []string      `arg:"" optional:"" passthrough:"" name:"command" help:"A go command (go build, install, run or test with its arguments), or a program that was built by seam prof -- go build, after --."`

	before *prof.Profile // of Diff
}

func (profVerb) examples() string {
	return `Examples:
  seam prof -- go test -run '^$' -bench .
  seam prof --html prof.html -- go run ./cmd/server
  seam prof -o cpu.pprof -- go run . && go tool pprof -http : cpu.pprof
  seam prof -o old.pprof -- go test -bench . && git pull && \
    seam prof --diff old.pprof --html diff.html -- go test -bench .
  seam prof -- go build -o server ./cmd/server && seam prof -- ./server
  seam prof --pid $(pgrep server) --for 30s --html prof.html
  seam prof --crash server.log ./server

Profiles a program with the functions of Go, C and C++ in one stack, without a
change to its source: its CPU time, and where its goroutines wait. The program's own output and exit code
stay as they are. While it is profiled it can't take a CPU profile of its own.
`
}

func (v *profVerb) Run(s *session) error {
	if err := checkOutputs(outputFlag{"-o", v.Output}, outputFlag{"--html", v.HTML}, outputFlag{"--folded", v.Folded}, outputFlag{"--speedscope", v.Speedscope}); err != nil {
		return err
	}
	if v.Rate < 1 || v.Rate > 10000 {
		return fmt.Errorf("--rate %d: want 1 to 10000 samples a second", v.Rate)
	}
	if v.Diff != nil {
		var err error
		if v.before, err = prof.Load(*v.Diff); err != nil {
			return fmt.Errorf("--diff: %w", err)
		}
	}
	args := dropDashes(v.Args)
	if v.JSON != nil && v.Crash == nil {
		return errors.New("--json is for --crash")
	}
	if v.Crash != nil {
		return v.crash(s, args)
	}
	if v.PID != nil && len(args) > 0 {
		return errors.New("--pid names what to profile, and so does the command; leave one out")
	}
	if v.PID != nil && (*v.PID <= 0 || v.For <= 0) {
		return errors.New("--pid and --for want more than 0")
	}
	if v.PID == nil && len(args) == 0 {
		return errors.New("nothing to profile: name a go command or a program, for example: seam prof -- go test")
	}
	dir, err := os.MkdirTemp("", "seam-prof-")
	if err != nil {
		return withCode(exitFailed, err)
	}
	defer os.RemoveAll(dir)
	if v.PID != nil {
		return v.process(s, dir)
	}
	if gotool.IsGo(args[0]) {
		return v.goCommand(s, args, dir)
	}
	return v.program(s, args, dir)
}

// goCommand builds a program that records, and runs it where the command does.
func (v *profVerb) goCommand(s *session, args []string, dir string) error {
	command, err := gotool.Parse(args)
	if err != nil {
		return err
	}
	if _, ok := command.Flag("cpuprofile"); ok {
		return errors.New("-cpuprofile takes the profile that seam prof is to take; leave it out, and use -o FILE in front of --")
	}
	env, err := gotool.ReadEnv(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	if err := inject.Supported(env); err != nil {
		return err
	}
	build, err := inject.New(s.ctx, command, env, dir)
	if err != nil {
		return err
	}
	if !command.RunsProgram() {
		if err := s.runGo(build.Line(), build.Env); err != nil {
			return err
		}
		_, err := fmt.Fprintln(s.stderr, "seam: the program records when run by: seam prof -- PROGRAM")
		return withCode(exitFailed, err)
	}
	var flags []string
	if _, given := command.Flag("count"); command.Verb == "test" && !given {
		flags = append(flags, "-count=1") // a result from the cache would mean that nothing ran
	}
	return v.record(s, dir, args, build.Line(flags...), build.Env)
}

// program runs a program that was built before.
func (v *profVerb) program(s *session, args []string, dir string) error {
	if strings.HasPrefix(args[0], "-") {
		return fmt.Errorf("unknown flag %s (seam prof -h shows them; what comes before -- is for seam)", args[0])
	}
	const want = "want a go command, or a program built by seam prof -- go build"
	name, err := exec.LookPath(args[0])
	if err != nil {
		return fmt.Errorf("%w (%s)", err, want)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("%w (%s)", err, want)
	}
	// What is no Go program, a script or Python, may start one, or load a library of Go.
	if isGo := []byte("\xff Go buildinf:"); bytes.Contains(text, isGo) && !bytes.Contains(text, []byte(inject.Mark)) {
		return fmt.Errorf("%s can't record; build it with: seam prof -- go build -o %s", name, args[0])
	}
	return v.record(s, dir, args, append([]string{name}, args[1:]...), nil)
}

// crash adds lines to a report of a crash that was kept.
func (v *profVerb) crash(s *session, args []string) error {
	if len(args) > 1 || v.PID != nil || v.Diff != nil {
		return errors.New("--crash FILE takes the program that crashed, and nothing else: seam prof --crash server.log ./server")
	}
	program := ""
	if len(args) == 1 {
		program = args[0]
		if _, err := os.Stat(program); err != nil {
			return err
		}
	}
	report := s.stdin
	if *v.Crash != "-" {
		f, err := os.Open(*v.Crash)
		if err != nil {
			return err
		}
		defer f.Close()
		report = f
	}
	found, err := prof.WriteCrash(s.stdout, report, program)
	if errors.Is(err, prof.ErrNoProgram) {
		return fmt.Errorf("%w: seam prof --crash %s PROGRAM", err, *v.Crash)
	}
	if err == nil && v.JSON != nil {
		to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
		err = to.Write(s.ctx, *v.JSON, func(w io.Writer) error { return prof.WriteEvents(w, found.Events) })
	}
	if err == nil && len(found.Events) == 0 {
		err = errors.New("no report of a crash in C was found in it: none of its lines has \"seam: SIG… in C\", with which reports of programs begin that have package prof, or were built by seam prof -- go build")
	}
	for _, note := range found.Notes {
		fmt.Fprintf(s.stderr, "seam: %s\n", note)
	}
	if err == nil && found.Named == 0 {
		err = errors.New("of the report's places none got a line")
	}
	return withCode(exitFailed, err)
}

// process profiles one that runs.
func (v *profVerb) process(s *session, dir string) error {
	err := prof.Attach(s.ctx, *v.PID, v.Rate, v.For, dir)
	p, readErr := prof.Read(dir)
	if readErr != nil {
		return errors.Join(err, withCode(exitFailed, readErr))
	}
	if p.Count == 0 {
		return withCode(exitFailed, cmp.Or(err, errors.New("nothing was recorded: the process ended at once")))
	}
	if err != nil {
		p.Gaps = append(p.Gaps, err.Error())
	}
	return withCode(exitFailed, v.write(s, p, fmt.Sprintf("--pid %d", *v.PID), ""))
}

// record runs a command whose programs record, and reports.
func (v *profVerb) record(s *session, dir string, args, line, env []string) error {
	records := filepath.Join(dir, "records")
	if err := os.Mkdir(records, 0o700); err != nil {
		return withCode(exitFailed, err)
	}
	// What root starts may become another user (su, setpriv, a server that drops its rights), and
	// then has to be able to write here. Nobody else knows the folder's name.
	if os.Geteuid() == 0 {
		if err := errors.Join(os.Chmod(dir, 0o711), os.Chmod(records, 0o733|os.ModeSticky)); err != nil {
			return withCode(exitFailed, err)
		}
	}
	env = append(env, inject.FolderVariable+"="+records, inject.RateVariable+"="+strconv.Itoa(v.Rate))
	runErr := s.runGo(line, env)
	if _, err := prof.WriteCrashes(s.stderr, records); err != nil {
		return errors.Join(runErr, withCode(exitFailed, err))
	}
	p, err := prof.Read(records)
	if err != nil {
		return errors.Join(runErr, withCode(exitFailed, err))
	}
	if p.Count == 0 {
		if runErr != nil { // the code is the program's
			if p.Lost != "" {
				fmt.Fprintf(s.stderr, "seam: no profile: %s\n", p.Lost)
			}
			return runErr
		}
		if p.Lost != "" {
			return withCode(exitFailed, fmt.Errorf("no profile: %s", p.Lost))
		}
		return withCode(exitFailed, errors.New("nothing was recorded: either no program ran that seam prof -- go has built, or none ran long enough (go test: are there tests?), or one ran that could not write its record (then it has said so on standard error) "+
			"or was not told to, as sudo, containers and daemons start programs without this environment: ask such a process by seam prof --pid"))
	}
	if p.Lost != "" {
		p.Notes = append(p.Notes, p.Lost)
	}
	return errors.Join(runErr, withCode(exitFailed, v.write(s, p, shellLine(args), shellLine(withoutToolexec(args)))))
}

// withoutToolexec is a go command without the flag by which seam weld takes part in it.
func withoutToolexec(args []string) (plain []string) {
	for i := 0; i < len(args); i++ {
		switch flag, _, whole := strings.Cut(args[i], "="); {
		case flag != "-toolexec" && flag != "--toolexec":
			plain = append(plain, args[i])
		case !whole:
			i++ // its value
		}
	}
	return plain
}

// shellLine is a command as it is typed: the report tells what to type next.
func shellLine(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		if words[i] = a; a == "" || strings.ContainsFunc(a, func(c rune) bool {
			return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_./=:,@%+", c)
		}) {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// write writes the files and prints the table. An interrupt has ended the program that was
// profiled, and not this.
func (v *profVerb) write(s *session, p *prof.Profile, command, plain string) error {
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	var errs error
	for _, file := range []struct {
		name  *string
		write func(io.Writer) error
	}{
		{v.Output, p.WritePprof},
		{v.HTML, func(w io.Writer) error { return p.WriteHTML(w, command, v.before) }},
		{v.Folded, p.WriteFolded},
		{v.Speedscope, p.WriteSpeedscope},
	} {
		if file.name == nil {
			continue
		}
		if err := to.Write(s.ctx, *file.name, file.write); err != nil {
			errs = errors.Join(errs, err)
		}
	}
	// Standard output is the program's.
	if err := p.WriteText(s.stderr, prof.TextOptions{Options: terminal.Of(s.stderr).Options, All: v.All}); err != nil {
		errs = errors.Join(errs, fmt.Errorf("cannot write the table: %w", err))
	}
	if v.before != nil {
		fmt.Fprintln(s.stderr)
		if err := p.WriteDiff(s.stderr, v.before, prof.TextOptions{Options: terminal.Of(s.stderr).Options, All: v.All}); err != nil {
			errs = errors.Join(errs, fmt.Errorf("cannot write the comparison: %w", err))
		}
	}
	if errs != nil {
		return errs
	}
	for _, name := range []*string{v.Output, v.HTML, v.Folded, v.Speedscope} {
		if name != nil && !output.IsStdout(*name) && !(name == v.HTML && s.tells()) { // which names it
			fmt.Fprintf(s.stderr, "seam: wrote %s\n", *name)
		}
	}
	if next := p.Next(command, plain, v.HTML != nil); next != "" {
		fmt.Fprintf(s.stderr, "seam: %s\n", next)
	}
	if len(p.Gaps) > 0 {
		return incomplete(p.Gaps)
	}
	return nil
}
