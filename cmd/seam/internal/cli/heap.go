package cli

import (
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/compiler"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/memory"
	"github.com/seamgo/seam/cmd/seam/internal/memory/heap"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// heapVerb is the verb that shows which stacks hold C's memory.
type heapVerb struct {
	Output *string       `short:"o" help:"Write a heap profile for go tool pprof." placeholder:"FILE"`
	HTML   *string       `name:"html" help:"Write a page with a flame graph, also of the growth between two moments, and the memory over time." placeholder:"FILE"`
	JSON   *string       `name:"json" help:"Write everything, for other programs." placeholder:"FILE"`
	Rate   string        `default:"512KiB" help:"Bytes a sample, on average; 1 records every block." placeholder:"BYTES"`
	Alloc  []string      `name:"alloc" sep:"none" help:"Count an allocator of the program's own, too: a function and its arguments; repeat it for each." placeholder:"FUNCTION(_,size)"`
	PID    *int          `name:"pid" help:"Look at this process, which runs and imports package prof/heap." placeholder:"N"`
	For    time.Duration `name:"for" help:"With --pid: watch it for so long. Without, one look is taken." placeholder:"D"`
	Every  time.Duration `help:"Look at what is live this often. Without it there are 120 looks at most, evenly spaced." placeholder:"D"`
	All    bool          `help:"Show all stacks, not just those that hold most."`
	Args   []string      `arg:"" optional:"" passthrough:"" name:"command" help:"A program or a go command (go run, go test) with its arguments, after --."`
}

func (heapVerb) examples() string {
	return `Examples:
  seam heap -- ./server
  seam heap --html heap.html -- go run ./cmd/server
  seam heap -o heap.pprof -- go test -run TestLoad . && go tool pprof -http : heap.pprof
  seam heap --rate 1 -- ./short-program
  seam heap --alloc 'pool_alloc(_,size)' --alloc 'pool_free(_,block)' -- ./server
  seam heap --pid "$(pgrep -n server)" --for 10m

Says which stacks, through Go and C, have allocated what C holds: all blocks of malloc
and its like, of C++ and of libraries, and large mappings. The program is run as it is,
with a library in front of its allocator that counts one block in 512 KiB.
`
}

func (v *heapVerb) Run(s *session) error {
	if err := checkOutputs(outputFlag{"-o", v.Output}, outputFlag{"--html", v.HTML}, outputFlag{"--json", v.JSON}); err != nil {
		return err
	}
	rate, err := parseSize(v.Rate)
	if err != nil {
		return fmt.Errorf("--rate: %w", err)
	}
	own, err := heap.ParseFunctions(v.Alloc)
	if err != nil {
		return fmt.Errorf("--alloc: %w", err)
	}
	args := dropDashes(v.Args)
	switch {
	case v.PID != nil && len(own) > 0:
		return errors.New("--alloc is for a program that is run: --pid looks at one that counts already")
	case v.Every < 0 || v.For < 0:
		return errors.New("--for and --every want more than 0")
	case v.PID != nil && len(args) > 0:
		return errors.New("--pid names what to look at, and so does the command; leave one out")
	case v.PID != nil && *v.PID <= 0:
		return fmt.Errorf("--pid %d: want the number of a process", *v.PID)
	case v.PID == nil && v.For != 0:
		return errors.New("--for is for --pid: a command is watched until it ends")
	case v.PID != nil && v.For == 0 && v.Every != 0:
		return errors.New("--every takes more than one look: say for how long by --for")
	case v.PID != nil:
		return v.process(s)
	case len(args) == 0:
		return errors.New("nothing to look at: name a program or a go command, for example: seam heap -- ./program")
	case strings.HasPrefix(args[0], "-"):
		return fmt.Errorf("unknown flag %s (seam heap -h shows them; what comes before -- is for seam)", args[0])
	case runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64":
		return withCode(exitFailed, fmt.Errorf("seam heap works on linux/amd64 and linux/arm64 only, and this is %s/%s", runtime.GOOS, runtime.GOARCH))
	}
	dir, err := os.MkdirTemp("", "seam-heap-")
	if err != nil {
		return withCode(exitFailed, err)
	}
	defer os.RemoveAll(dir)
	line, env, isProgram, err := v.prepare(s, args, dir, rate, own)
	if err != nil {
		return err
	}
	watcher := heap.NewWatcher(dir, own...)
	stop := make(chan struct{})
	var account *memory.Report
	watched, accounted := make(chan error, 1), make(chan struct{})
	go func() { watched <- watcher.Run(stop, v.Every) }()
	go func() {
		defer close(accounted)
		account, _ = memory.Command(stop, v.Every, func() (list []int) { // without it the stacks stand alone
			for _, pid := range gotool.Descendants(os.Getpid()) {
				if isProgram(pid) {
					list = append(list, pid)
				}
			}
			return list
		})
	}()
	runErr := s.runGo(line, env)
	close(stop)
	<-accounted
	if err := <-watched; err != nil {
		return errors.Join(runErr, withCode(exitFailed, err))
	}
	r, err := watcher.Report(account)
	if errors.Is(err, heap.ErrNone) {
		if runErr != nil { // has said more
			return runErr
		}
		return withCode(exitFailed, errors.New("nothing was recorded: no process loaded the library that counts: it is for programs that are linked dynamically, and a program that clears its environment loses it"))
	}
	if err != nil {
		return errors.Join(runErr, withCode(exitFailed, err))
	}
	r.Seam, r.Command = toolVersion(), args
	return errors.Join(runErr, withCode(exitFailed, v.write(s, r)))
}

// process looks at one that runs.
func (v *heapVerb) process(s *session) error {
	watcher, err := heap.NewProcessWatcher(*v.PID)
	if err != nil {
		return withCode(exitFailed, err)
	}
	ctx, cancel := context.WithTimeout(s.ctx, v.For)
	defer cancel()
	watched := make(chan error, 1)
	go func() { watched <- watcher.Run(ctx.Done(), v.Every) }()
	account, accountErr := memory.Process(ctx, *v.PID, v.For, v.Every)
	err = <-watched
	if err == nil {
		err = accountErr
	}
	if err != nil {
		return withCode(exitFailed, err)
	}
	r, err := watcher.Report(account)
	if err != nil {
		return withCode(exitFailed, err)
	}
	r.Seam = toolVersion()
	return withCode(exitFailed, v.write(s, r))
}

// prepare makes the command line that runs programs with the library.
func (v *heapVerb) prepare(s *session, args []string, dir string, rate uint64, own []heap.Function) (line, env []string, isProgram func(int) bool, err error) {
	goTool, workDir, interpreter := "go", "", ""
	var command *gotool.Command
	if gotool.IsGo(args[0]) {
		if command, err = gotool.Parse(args); err != nil {
			return nil, nil, nil, err
		}
		if !command.RunsProgram() {
			return nil, nil, nil, fmt.Errorf("go %s runs no program whose memory could be looked at: build it as usual, and run it by: seam heap -- ./program", command.Verb)
		}
		if command.Has("asan") {
			return nil, nil, nil, errors.New(asanSentence)
		}
		goTool, workDir = command.Tool, command.Dir
	} else if interpreter, err = canPreload(args[0]); err != nil {
		return nil, nil, nil, err
	}
	cc, err := cCompiler(s, goTool, workDir)
	if err != nil {
		return nil, nil, nil, withCode(exitFailed, err)
	}
	library, err := libraryFor(s, args[0], interpreter, cc, own)
	if err != nil {
		return nil, nil, nil, withCode(exitFailed, err)
	}
	env = []string{"LD_PRELOAD=" + strings.TrimSpace(library+" "+os.Getenv("LD_PRELOAD")), heap.FolderVariable + "=" + dir, heap.RateVariable + "=" + strconv.FormatUint(rate, 10)}
	self, _ := os.Executable() // a process that has been forked and not yet become the program
	isProgram = func(pid int) bool {
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		return err == nil && exe != self
	}
	if command == nil {
		return args, env, isProgram, nil
	}
	// The go command's own tools, and C's compilers, go without: -exec is for the program alone.
	runner, ldflags := "env", ""
	for _, e := range env {
		runner += " '" + e + "'"
	}
	if e, err := gotool.ReadEnv(s.ctx, goTool, workDir); err == nil {
		user, err := command.FlagOrEnv("exec", e.GOFLAGS)
		if err != nil {
			return nil, nil, nil, err
		}
		if ldflags, err = command.FlagOrEnv("ldflags", e.GOFLAGS); err != nil {
			return nil, nil, nil, err
		}
		runner = strings.TrimSpace(runner + " " + user)
	}
	// go run and go test leave out what names C. The user's own flags come after and win.
	flags := []string{"-exec=" + runner, strings.TrimSpace("-ldflags=-s=false -w=false " + ldflags)}
	if _, given := command.Flag("count"); command.Verb == "test" && !given {
		flags = append(flags, "-count=1") // a result from the cache would mean that nothing ran
	}
	outside := outsideToolchain(s.ctx, command)
	isProgram = func(pid int) bool {
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		return err == nil && outside(exe, pid)
	}
	return command.Without("exec").Without("ldflags").With(flags...), nil, isProgram, nil
}

const asanSentence = "a program with AddressSanitizer ends when another allocator is in front of its own: build it without -asan, or ask the sanitizer itself (ASAN_OPTIONS=detect_leaks=1)"

// cCompiler finds the C compiler as cgo does.
func cCompiler(s *session, goTool, dir string) ([]string, error) {
	words := strings.Fields(os.Getenv("CC"))
	if e, err := gotool.ReadEnv(s.ctx, goTool, dir); err == nil && e.CC != "" {
		words = strings.Fields(e.CC)
	}
	if len(words) == 0 {
		words = []string{"cc"}
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("the library that counts allocations has to be compiled, and there is no C compiler: %w; %s", err, compiler.ToGet("CC", words[0]))
	}
	return words, nil
}

// libraryFor returns the library to preload into a program with this dynamic linker: it has to be
// compiled for the same C library.
func libraryFor(s *session, program, interpreter string, cc []string, own []heap.Function) (string, error) {
	library, err := heap.Library(s.ctx, cc, own...)
	if err != nil || interpreter == "" || heap.ForMusl(library) == isMusl(interpreter) {
		return library, err
	}
	if isMusl(interpreter) {
		if musl, err := exec.LookPath("musl-gcc"); err == nil {
			if library, err = heap.Library(s.ctx, []string{musl}, own...); err != nil || heap.ForMusl(library) {
				return library, err
			}
		}
		return "", fmt.Errorf("%s runs by musl, and %s compiles for another C library: name a compiler for musl, as CC=musl-gcc; %s", program, cc[0], compiler.ToGet("CC", "musl-gcc"))
	}
	return "", fmt.Errorf("%s runs by %s, and %s compiles for musl: name a compiler for its C library by CC", program, interpreter, cc[0])
}

func isMusl(interpreter string) bool { return strings.HasPrefix(filepath.Base(interpreter), "ld-musl") }

// canPreload returns a program's dynamic linker, or says why it can't have the library in front of its
// allocator. Of what is no program nothing is known, and "" returned: a script may start one.
func canPreload(name string) (interpreter string, err error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	f, err := elf.Open(path)
	if err != nil {
		return "", nil
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			text, _ := io.ReadAll(p.Open())
			interpreter = strings.TrimRight(string(text), "\x00")
		}
	}
	libraries, _ := f.ImportedLibraries()
	imported, _ := f.DynamicSymbols()
	switch {
	case interpreter == "":
		return "", fmt.Errorf("%s is linked statically: no library can be put in front of its allocator; link it dynamically, or have it import github.com/seamgo/seam/prof/heap", path)
	case slices.ContainsFunc(libraries, func(l string) bool { return strings.HasPrefix(l, "libasan") }), slices.ContainsFunc(imported, func(s elf.Symbol) bool { return s.Name == "__asan_init" }):
		return "", fmt.Errorf("%s: %s", path, asanSentence)
	}
	return interpreter, nil
}

// parseSize reads "512KiB" as bytes.
func parseSize(s string) (uint64, error) {
	number := strings.TrimRight(s, "BKMGikmgb ")
	unit, ok := map[string]float64{"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "k": 1 << 10, "m": 1 << 20}[strings.ToLower(strings.TrimSpace(s[len(number):]))]
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !ok || !(n*unit >= 1) || n*unit > 1<<40 {
		return 0, fmt.Errorf("%q is no size: want a number of bytes such as 512KiB, or 1 for every block", s)
	}
	return uint64(n * unit), nil
}

// write writes the files and prints the report.
func (v *heapVerb) write(s *session, r *heap.Report) error {
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	var errs error
	for _, file := range []struct {
		name  *string
		write func(io.Writer) error
	}{{v.Output, func(w io.Writer) error { return r.Profile().WritePprof(w) }}, {v.HTML, r.WriteHTML}, {v.JSON, r.Encode}} {
		if file.name != nil {
			errs = errors.Join(errs, to.Write(s.ctx, *file.name, file.write))
		}
	}
	var page bytes.Buffer
	err := r.WriteText(&page, heap.TextOptions{Options: terminal.Of(s.stderr).Options, All: v.All})
	_, writeErr := s.stderr.Write(page.Bytes())
	if err := cmp.Or(err, writeErr); err != nil {
		errs = errors.Join(errs, fmt.Errorf("cannot write the report: %w", err))
	}
	return errs
}
