package job

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/compiler"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
)

// A Recorder is a verb whose programs record something about themselves.
type Recorder[T recording.Record] struct {
	Mode     string // of its jobs: the verb
	Variable string // of the environment, which names the folder to record in
	Program  string // what it builds: "traced program"
	Read     func(name string) (T, error)

	// What to say of a build: NoC where it calls no C, Done for "programs can be …",
	// What for "records … whenever it runs", Next for "… with: seam VERB --collect".
	NoC, Done, What, Next string

	// Silent says, in the second half of a sentence, which programs leave no record; "": all do.
	Silent string
}

// A Recording is a go command whose programs record.
type Recording[T recording.Record] struct {
	Command        *gotool.Command
	Env            *gotool.Env
	Root, Module   string    // of the main module: folder and path
	Started, Ended time.Time // of the go command

	recorder *Recorder[T]
	job      *Job
}

// Parse takes a go command line apart.
func (r *Recorder[T]) Parse(ctx context.Context, args []string) (*Recording[T], error) {
	c, err := gotool.Parse(args)
	if err != nil {
		return nil, err
	}
	x := &Recording[T]{Command: c, recorder: r}
	if x.Env, err = gotool.ReadEnv(ctx, c.Tool, c.Dir); err != nil {
		return nil, err
	}
	noCgo, fix := compiler.NoCgo(x.Env)
	switch {
	case noCgo != "":
		return nil, fmt.Errorf("%s: %s (%s)", r.NoC, noCgo, fix)
	case !bundle.Known(x.Env.GOOS, x.Env.GOARCH):
		return nil, fmt.Errorf("programs can be %s on linux/amd64 and linux/arm64 only, and this build is for %s/%s", r.Done, x.Env.GOOS, x.Env.GOARCH)
	}
	x.Root, x.Module, err = gotool.ModuleRoot(ctx, c.Tool, c.Dir)
	return x, err
}

// Begin makes the job's folder; Remove deletes it.
func (x *Recording[T]) Begin() (err error) {
	words, err := chain(x.Command, x.Env)
	if err != nil {
		return err
	}
	if x.job, err = Create(Job{Mode: x.recorder.Mode, Main: cmp.Or(x.Module, x.Root), Chain: words}); err != nil {
		return err
	}
	if err = os.Mkdir(x.folder(), 0o700); err != nil {
		x.Remove()
	}
	return err
}

// Remove deletes the job's folder.
func (x *Recording[T]) Remove() { x.job.Remove() }

// folder is that of the programs that the go command runs.
func (x *Recording[T]) folder() string { return filepath.Join(x.job.Dir, "records") }

// Run runs the go command by a function that is given its line and what its
// environment has besides.
func (x *Recording[T]) Run(run func(argv, env []string) error) error {
	flag, err := x.job.ToolexecFlag()
	if err != nil {
		return err
	}
	flags := []string{flag}
	// A result from the go command's cache would mean that nothing ran.
	if _, given := x.Command.Flag("count"); x.Command.Verb == "test" && !given && !x.Command.Has("c") {
		flags = append(flags, "-count=1")
	}
	var env []string
	if x.Command.RunsProgram() {
		env = []string{x.recorder.Variable + "=" + x.folder()}
	}
	x.Started = time.Now()
	err = run(x.Command.Without("toolexec").With(flags...), env)
	x.Ended = time.Now()
	return err
}

// Reports tell what became of the packages that were built.
func (x *Recording[T]) Reports() ([]Report, error) { return x.job.Reports() }

// Records are those of the programs that the go command ran.
func (x *Recording[T]) Records(stderr io.Writer) (Recordings[T], error) {
	return x.recorder.read(stderr, []string{x.folder()})
}

// WriteBuilt tells what becomes of a program that was only built.
func (x *Recording[T]) WriteBuilt(to io.Writer) error {
	r := x.recorder
	dir, err := r.folder()
	if err != nil {
		return err
	}
	fmt.Fprintf(to, "seam: the program records %s whenever it runs, in $%s or, if that is not set, %s\n"+
		"seam: %s with: seam %s --collect\n", r.What, r.Variable, dir, r.Next, r.Mode)
	return nil
}
