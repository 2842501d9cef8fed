package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/stack/event"
	"github.com/seamgo/seam/cmd/seam/internal/stack/launch"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
)

// A stackReading reads the log of a run while it is written.
type stackReading struct {
	work  *launch.Session
	pipe  *launch.Pipe
	names *launch.Names
	log   *keptLog
	done  chan struct{}
	file  *report.File // when done
	err   error
}

func (v *stackTraceVerb) startReading(work *launch.Session) (*stackReading, error) {
	r := &stackReading{work: work, names: work.Names(), done: make(chan struct{})}
	var err error
	if r.pipe, err = launch.OpenPipe(work.Log); err != nil {
		return nil, err
	}
	if r.log, err = keepLog(v.Log); err != nil {
		r.pipe.Close()
		return nil, err
	}
	go func() {
		defer close(r.done)
		r.file, r.err = report.Build(event.NewReader(r.log.tee(r.pipe)), report.Options{Symbols: r.names})
	}()
	return r, nil
}

// finish returns the report when all programs have ended. header is what it can't know.
func (r *stackReading) finish(header report.File) (*report.File, error) {
	r.pipe.Finish()
	<-r.done
	r.names.Close()
	err := errors.Join(r.err, r.pipe.Close(), r.log.close())
	f := r.file
	completeReport(f, header)
	programs, programsErr := r.work.Programs()
	for _, p := range programs {
		for i := range f.Processes {
			if f.Processes[i].PID == p.PID {
				f.Processes[i].Program = p.Name
				f.Processes[i].Ended = p.Ended
				f.Processes[i].CPU = p.CPU
			}
		}
	}
	return f, errors.Join(err, programsErr)
}

// completeReport fills in what a log doesn't tell.
func completeReport(f *report.File, header report.File) {
	f.Go, f.OS, f.Arch, f.Module, f.Command, f.Time = header.Go, header.OS, header.Arch, header.Module, header.Command, header.Time
	f.Settings.Adaptive = header.Settings.Adaptive
	if f.Command == nil {
		f.Command = []string{}
	}
}

// read reports on a log that a program has written by itself.
func (v *stackTraceVerb) read(s *session, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("--read takes one program, whose functions are to be named, not %d (flags come before it)", len(args))
	}
	if v.Log != nil {
		return errors.New("--read has a log already; leave out --log")
	}
	header := report.File{Command: args}
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
		return withCode(exitFailed, fmt.Errorf("%s has no line of the stack tracer in it: run a program that seam stack trace -- go build has built with %s=FILE", v.Read, "SEAM_STACK_LOG"))
	}
	if header.Go == "" && len(f.Processes) > 0 {
		header.Go = f.Processes[0].Go
	}
	completeReport(f, header)
	f.Log.Name = filepath.Base(v.Read)
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	return v.write(s, f, dir)
}

// A keptLog is a copy of the log. It may have hundreds of MB, so it is written as it
// comes; it gets its name when it is complete.
type keptLog struct {
	name string
	f    *os.File
	w    *bufio.Writer
}

// keepLog begins the copy. Without a name there is none.
func keepLog(name *string) (*keptLog, error) {
	if name == nil {
		return nil, nil
	}
	f, err := os.CreateTemp(filepath.Dir(*name), ".seam-stack-log-")
	if err != nil {
		return nil, fmt.Errorf("--log: %w", err)
	}
	return &keptLog{*name, f, bufio.NewWriterSize(f, 1<<20)}, nil
}

// tee copies what is read.
func (k *keptLog) tee(r io.Reader) io.Reader {
	if k == nil {
		return r
	}
	return io.TeeReader(r, k)
}

// Write never fails: where the disk is full the log must be read on, or the program would
// wait for ever to write it. close tells the error, which w keeps.
func (k *keptLog) Write(b []byte) (int, error) {
	_, _ = k.w.Write(b)
	return len(b), nil
}

func (k *keptLog) close() error {
	if k == nil {
		return nil
	}
	err := errors.Join(k.w.Flush(), k.f.Chmod(0o644), k.f.Close())
	if err == nil {
		err = os.Rename(k.f.Name(), k.name)
	}
	if err != nil {
		os.Remove(k.f.Name())
		return fmt.Errorf("cannot write %s: %w", k.name, err)
	}
	return nil
}
