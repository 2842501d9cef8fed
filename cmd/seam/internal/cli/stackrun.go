package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/stack/launch"
	"github.com/seamgo/seam/cmd/seam/internal/stack/overlay"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
)

func (v *stackTraceVerb) goCommand(s *session, args []string) error {
	command, err := gotool.Parse(args)
	if err != nil {
		return err
	}
	env, err := gotool.ReadEnv(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	if err := overlay.Supported(env); err != nil {
		return err
	}
	root, module, err := gotool.ModuleRoot(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	build, err := overlay.NewBuild(command, env)
	if err != nil {
		return err
	}
	if err := build.Prepare(); err != nil {
		return withCode(exitFailed, err)
	}
	work, err := v.begin(build.Restore())
	if err != nil {
		return err
	}
	defer work.Remove()
	overlayFlag, err := build.Overlay(work.Dir)
	if err != nil {
		return err
	}
	if build.First {
		fmt.Fprintln(s.stderr, "seam: the first build with the stack tracer compiles the standard library that the program needs; it is kept")
	}
	if !command.RunsProgram() {
		if err := s.runGo(build.With(overlayFlag), build.Env); err != nil {
			return err
		}
		_, err := fmt.Fprintf(s.stderr, "seam: the program logs its stacks when run by seam stack trace -- PROGRAM, or with %s=FILE in its environment\n", overlay.LogVariable)
		return withCode(exitFailed, err)
	}
	words := []string{"stack", "exec", "--session", work.Dir, "--launcher", strconv.Itoa(len(build.Exec)), "--"}
	execFlag, err := gotool.SelfFlag("-exec", append(words, build.Exec...)...)
	if err != nil {
		return err
	}
	debugData, err := build.DebugData(env.GOFLAGS)
	if err != nil {
		return err
	}
	flags := append([]string{overlayFlag, execFlag}, debugData...)
	if _, given := command.Flag("count"); command.Verb == "test" && !given {
		flags = append(flags, "-count=1") // a result from the cache would mean that nothing ran
	}
	header := report.Header{Go: env.GOVERSION, OS: env.GOOS, Arch: env.GOARCH, Module: module, Command: args}
	return v.trace(s, work, header, root, func() error {
		err := s.runGo(build.With(flags...), build.Env)
		if command.Verb == "run" {
			return programsEnd(work, err)
		}
		return err
	})
}

// programsEnd is how go run ended: with the program's own exit code, where the go
// command makes 1 of each.
func programsEnd(work *launch.Session, goErr error) error {
	programs, err := work.Programs()
	if err == nil && goErr != nil && len(programs) == 1 && programs[0].Code != 0 {
		return &exitStatus{programs[0].Code}
	}
	return goErr
}

// program runs a program that was built before.
func (v *stackTraceVerb) program(s *session, args []string) error {
	if strings.HasPrefix(args[0], "-") {
		return fmt.Errorf("unknown flag %s (seam stack trace -h shows them; what comes before -- is for seam)", args[0])
	}
	name, err := exec.LookPath(args[0])
	if err != nil {
		return fmt.Errorf("%w (want a go command, or a program built by seam stack trace -- go build)", err)
	}
	binary, err := symbols.Open(name)
	if err != nil {
		return fmt.Errorf("%w (want a go command, or a program built by seam stack trace -- go build)", err)
	}
	if !binary.Has(overlay.Mark) {
		return fmt.Errorf("%s contains no stack tracer; build it with: seam stack trace -- go build -o %s", name, name)
	}
	work, err := v.begin(nil)
	if err != nil {
		return err
	}
	defer work.Remove()
	header := report.Header{Go: binary.GoVersion, OS: "linux", Arch: binary.Arch, Command: args}
	return v.trace(s, work, header, workingDir(), func() error {
		p, err := work.Exec(s.ctx, s.streams(), append([]string{name}, args[1:]...), 0)
		switch {
		case err != nil:
			return withCode(exitFailed, err)
		case p.Code != 0:
			fmt.Fprintf(s.stderr, "seam: %s: %s\n", args[0], p.Ended)
			return &exitStatus{p.Code}
		}
		return nil
	})
}

func (v *stackTraceVerb) begin(restore map[string]*string) (*launch.Session, error) {
	adaptive := "0"
	if v.Adaptive {
		adaptive = "1"
	}
	work, err := launch.Create(launch.Session{Procs: v.Procs, Adaptive: adaptive, Restore: restore})
	return work, withCode(exitFailed, err)
}

// trace reports on the programs that run starts. How the run ended comes before
// whatever else went wrong, and is the exit code.
func (v *stackTraceVerb) trace(s *session, work *launch.Session, header report.Header, dir string, run func() error) error {
	header.Time = time.Now().UTC()
	reading, err := work.Read(v.Log)
	if err != nil {
		return withCode(exitFailed, err)
	}
	runErr := run()
	// What has been read is reported, even if the log could not be kept.
	file, err := reading.Finish()
	file.Header, file.Settings.Adaptive = header, work.Adaptive
	runErr = errors.Join(runErr, withCode(exitFailed, err))
	if len(file.Processes) == 0 {
		if runErr != nil {
			return runErr // it has been said why
		}
		return withCode(exitFailed, errors.New("no traced program ran, so there is nothing to report (go test: are there tests?)"))
	}
	if err := v.write(s, file, dir); err != nil {
		return errors.Join(runErr, err)
	}
	return runErr
}
