package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/stack/event"
	"github.com/seamgo/seam/cmd/seam/internal/stack/launch"
	"github.com/seamgo/seam/cmd/seam/internal/stack/overlay"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
)

// read reports on a log that a program has written by itself.
func (v *stackTraceVerb) read(s *session, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("--read takes one program, which has the names of the functions, not %d (flags come before it)", len(args))
	}
	if v.Log != nil {
		return errors.New("--read has a log already; leave out --log")
	}
	header := report.Header{Command: append([]string{}, args...)}
	options := report.Options{}
	if len(args) == 1 {
		binary, err := symbols.Open(args[0])
		if err != nil {
			return err
		}
		options.Symbols = launch.Of(binary)
		header.Go, header.OS, header.Arch = binary.GoVersion, "linux", binary.Arch
	}
	log, err := os.Open(v.Read)
	if err != nil {
		return err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() && info.Mode()&os.ModeNamedPipe == 0 {
		return fmt.Errorf("--read %s: it is neither a file nor a pipe", v.Read)
	}
	header.Time = info.ModTime().UTC()
	f, err := report.Build(event.NewReader(log), options)
	if err != nil {
		return withCode(exitFailed, fmt.Errorf("%s: %w", v.Read, err))
	}
	if f.Log.Events == 0 {
		return withCode(exitFailed, fmt.Errorf("%s contains nothing from the stack tracer: run a program built by seam stack trace -- go build with %s=FILE", v.Read, overlay.LogVariable))
	}
	if header.Go == "" && len(f.Processes) > 0 {
		header.Go = f.Processes[0].Go
	}
	f.Header, f.Log.Name = header, filepath.Base(v.Read)
	return v.write(s, f, workingDir())
}

// workingDir is the folder that names of files are shown relative to; where it can't
// be told they stay whole.
func workingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
