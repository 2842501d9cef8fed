package cli

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/memory"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// rssVerb is the verb that tells where a process's resident memory is.
type rssVerb struct {
	PID        *int          `name:"pid" help:"Look at this process, which runs." placeholder:"N"`
	For        time.Duration `name:"for" help:"With --pid: watch it for so long. Without, one look is taken." placeholder:"D"`
	Every      time.Duration `help:"Look this often. Without it there are 120 looks at most, evenly spaced." placeholder:"D"`
	FailGrowth string        `help:"End with code 1 if RSS rises by more than this a minute, or another time: 1MB/min, 500KiB/s, 2GB/h." placeholder:"RATE"`
	JSON       *string       `name:"json" help:"Write everything, for other programs." placeholder:"FILE"`
	HTML       *string       `name:"html" help:"Write a page with the parts over time." placeholder:"FILE"`
	All        bool          `help:"Show all owners, not just the largest."`
	Args       []string      `arg:"" optional:"" passthrough:"" name:"command" help:"A program or a go command (go run, go test) with its arguments, after --."`
}

func (rssVerb) examples() string {
	return `Examples:
  seam rss --pid "$(pgrep -n server)"
  seam rss --pid "$(pgrep -n server)" --for 10m --html rss.html
  seam rss -- go run ./cmd/server
  seam rss --fail-growth 1MB/min -- ./load-test

Says where the resident memory of a process is, and what of it grows: what the C
allocator has handed out, what it keeps, Go's heap, threads' stacks, files, other
mappings. Everything is read from outside: the program is built as usual, and isn't
stopped. It must be yours, or you root.
`
}

func (v *rssVerb) Run(s *session) error {
	if err := checkOutputs(outputFlag{"--json", v.JSON}, outputFlag{"--html", v.HTML}); err != nil {
		return err
	}
	limit, err := parseRate(v.FailGrowth)
	if err != nil {
		return fmt.Errorf("--fail-growth: %w", err)
	}
	args := dropDashes(v.Args)
	switch {
	case v.For < 0 || v.Every < 0:
		return errors.New("--for and --every want more than 0")
	case v.PID != nil && len(args) > 0:
		return errors.New("--pid names what to look at, and so does the command; leave one out")
	case v.PID == nil && len(args) == 0:
		return errors.New("nothing to look at: name a process or a command, for example: seam rss --pid 4711, or seam rss -- ./program")
	case v.PID != nil && *v.PID <= 0:
		return fmt.Errorf("--pid %d: want the number of a process", *v.PID)
	case v.PID == nil && v.For != 0:
		return errors.New("--for is for --pid: a command is watched until it ends")
	case v.PID != nil && v.For == 0 && (v.Every != 0 || limit != 0):
		return errors.New("--every and --fail-growth take more than one look: say for how long by --for")
	}
	if v.PID != nil {
		r, err := memory.Process(s.ctx, *v.PID, v.For, v.Every)
		if err != nil {
			return withCode(exitFailed, err)
		}
		return v.conclude(s, r, s.stdout, limit, nil)
	}
	return v.command(s, args, limit)
}

// command runs a program, or a go command, and watches its processes.
func (v *rssVerb) command(s *session, args []string, limit float64) error {
	if strings.HasPrefix(args[0], "-") {
		return fmt.Errorf("unknown flag %s (seam rss -h shows them; what comes before -- is for seam)", args[0])
	}
	isProgram := func(string, int) bool { return true }
	if gotool.IsGo(args[0]) {
		command, err := gotool.Parse(args)
		if err != nil {
			return err
		}
		if !command.RunsProgram() {
			return fmt.Errorf("go %s runs no program whose memory could be looked at: start the program by seam rss --", command.Verb)
		}
		isProgram = outsideToolchain(s.ctx, command)
	}
	watched := watchProcesses(v.Every, isProgram)
	runErr := s.runGo(args, nil)
	report, watchErr := watched()
	if report == nil {
		if watchErr == nil {
			watchErr = errors.New("no process was seen: none ran, or none for a twentieth of a second")
		}
		if runErr != nil { // has said more
			return runErr
		}
		return withCode(exitFailed, watchErr)
	}
	report.Command = args
	return v.conclude(s, report, s.stderr, limit, runErr)
}

// watchProcesses watches what this process runs: the programs among it, which isProgram knows by
// their file and number. The function that it returns ends that and reports on the one that grew
// most, nil if there was none.
func watchProcesses(every time.Duration, isProgram func(exe string, pid int) bool) func() (*memory.Report, error) {
	self, _ := os.Executable() // a process that has been forked and not yet become the program; seam toolexec
	stop, seen := make(chan struct{}), make(chan struct{})
	var report *memory.Report
	var err error
	go func() {
		defer close(seen)
		report, err = memory.Command(stop, every, func() (list []int) {
			for _, pid := range gotool.Descendants(os.Getpid()) {
				if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && exe != self && isProgram(exe, pid) {
					list = append(list, pid)
				}
			}
			return list
		})
	}()
	return func() (*memory.Report, error) {
		close(stop)
		<-seen
		return report, err
	}
}

// outsideToolchain reports of a process that a go command has started whether it is one of the
// user's: a Go program that doesn't belong to the toolchain.
func outsideToolchain(ctx context.Context, command *gotool.Command) func(exe string, pid int) bool {
	root := ""
	if env, err := gotool.ReadEnv(ctx, command.Tool, command.Dir); err == nil {
		root, _ = filepath.EvalSymlinks(env.GOROOT)
	}
	known := map[string]bool{}
	return func(exe string, pid int) bool {
		is, found := known[exe]
		if !found {
			_, err := buildinfo.ReadFile(fmt.Sprintf("/proc/%d/exe", pid))
			is = err == nil && !(root != "" && strings.HasPrefix(exe, root+"/")) && !strings.Contains(exe, "/golang.org/toolchain@")
			known[exe] = is
		}
		return is
	}
}

// conclude writes the files and the report. runErr is how the program ended.
func (v *rssVerb) conclude(s *session, r *memory.Report, report io.Writer, limit float64, runErr error) error {
	r.Seam = toolVersion()
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	var errs error
	for _, file := range []struct {
		name  *string
		write func(io.Writer) error
	}{{v.JSON, r.Encode}, {v.HTML, r.WriteHTML}} {
		if file.name != nil {
			errs = errors.Join(errs, to.Write(s.ctx, *file.name, file.write))
			if output.IsStdout(*file.name) {
				report = s.stderr
			}
		}
	}
	var page bytes.Buffer
	err := r.WriteText(&page, memory.TextOptions{Options: terminal.Of(report).Options, All: v.All})
	if err == nil {
		_, err = report.Write(page.Bytes())
	}
	if err != nil {
		errs = errors.Join(errs, fmt.Errorf("cannot write the report: %w", err))
	}
	if errs != nil {
		return errors.Join(runErr, withCode(exitFailed, errs))
	}
	if runErr != nil {
		return runErr
	}
	if limit > 0 {
		return failGrowth(r, limit, v.FailGrowth)
	}
	return nil
}

// failGrowth is the error of RSS that rises faster than it may: code 1; 3 if it can't be told.
func failGrowth(r *memory.Report, limit float64, given string) error {
	if why := r.TooLittle(); why != "" {
		return withCode(exitFailed, fmt.Errorf("--fail-growth: %s", why))
	}
	if r.Rate > limit {
		return withCode(exitFinding, fmt.Errorf("--fail-growth: RSS rises by %s, and may by %s", memory.Rate(r.Rate), given))
	}
	return nil
}

// parseRate reads "1MB/min" as bytes a minute. "" is 0.
func parseRate(s string) (perMinute float64, err error) {
	if s == "" {
		return 0, nil
	}
	bad := fmt.Errorf("%q is no rate: want a number, a unit and a time, such as 1MB/min, 500KiB/s or 2GB/h", s)
	amount, per, found := strings.Cut(s, "/")
	if !found {
		return 0, bad
	}
	minutes, known := map[string]float64{"s": 1. / 60, "sec": 1. / 60, "min": 1, "m": 1, "h": 60, "hour": 60, "d": 1440, "day": 1440}[per]
	number := strings.TrimRight(amount, "BKMGTikmgtb ")
	unit, ok := map[string]float64{"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}[strings.ToLower(strings.TrimSpace(amount[len(number):]))]
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !known || !ok || !(n > 0) || n > 1e15 {
		return 0, bad
	}
	return n * unit / minutes, nil
}
