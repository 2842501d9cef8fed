package cli

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/bind"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// bindVerb is the verb that writes a Go package for a C library.
type bindVerb struct {
	Headers []string `arg:"" name:"header" help:"Headers that declare what is to be bound, as in #include; or one bind.seam, which says all of it."`

	Lib       []string `placeholder:"SONAME" help:"The library, with its version, as libz.so.1; several are tried in order when the program runs."`
	Output    string   `name:"output" short:"o" placeholder:"DIR" help:"The folder of the package (default: that of the bind.seam)."`
	Pkg       string   `placeholder:"NAME" help:"The package's name (default: the folder's)."`
	CFlags    string   `name:"cflags" placeholder:"FLAGS" help:"Flags for the C compiler, as -I and -D, separated by spaces."`
	PkgConfig []string `placeholder:"NAME" help:"Ask pkg-config for further flags."`
	Trim      []string `placeholder:"PREFIX" help:"Leave this prefix out of the Go names of functions and types."`
	Match     string   `placeholder:"REGEXP" help:"Bind only the functions whose C names match."`
	Leaf      string   `placeholder:"REGEXP" help:"Call the functions whose C names match as leaves: they return within microseconds, don't block and don't call back."`
	Via       string   `enum:",dl,cgo" default:"" placeholder:"dl" help:"How C is called: dl, without cgo, or cgo, which links the library and calls its inline functions too. Default: what the bind.seam says, or dl."`
	Symbols   string   `type:"path" placeholder:"FILE" help:"The library's file, to leave out what it doesn't export (default: the one that the compiler would link)."`

	Update bool `help:"Write the package anew, as for a later version of the library, and list what changes for those who use it."`
	Check  bool `help:"Write nothing; exit with code 1 if the files are not as they would be written."`
}

func (bindVerb) examples() string {
	return `Writes a Go package that calls a C library without cgo, from the library's headers.
Only who generates needs headers and a C compiler. Programs are built with
CGO_ENABLED=0 and need the library when they run. docs/bind.md has the details.

Examples:
  seam bind --lib libz.so.1 -o internal/zlib zlib.h
  seam bind --lib libsqlite3.so.0 --trim sqlite3_ --leaf '_(column|bind)_' -o internal/sqlite sqlite3.h
  seam bind internal/sqlite/bind.seam      # with Go's strings, slices, errors and handles
  seam bind --via cgo internal/sqlite/bind.seam  # the same package, through cgo
  seam bind --check internal/sqlite/bind.seam
  seam bind --update internal/sqlite/bind.seam   # after a new version of the header
`
}

func (v *bindVerb) Run(s *session) error {
	o := bind.Options{Headers: v.Headers, Libs: v.Lib, Package: v.Pkg, CFlags: strings.Fields(v.CFlags), Trim: v.Trim, Symbols: v.Symbols}
	pkgConfig := v.PkgConfig
	if len(v.Headers) == 1 && strings.HasSuffix(v.Headers[0], ".seam") {
		f, err := v.file()
		if err != nil {
			return err
		}
		f.Via = cmp.Or(v.Via, f.Via)
		o, pkgConfig = f.Options(), f.PkgConfig
		o.Symbols = v.Symbols
	} else if len(v.Lib) == 0 || v.Output == "" {
		return withCode(exitUsage, errors.New("give --lib, the library, and --output, the folder of the package; or a bind.seam that says both"))
	}
	dir, err := filepath.Abs(v.Output)
	if err != nil {
		return err
	}
	if o.Package == "" {
		o.Package = filepath.Base(dir)
	}
	if v.Via == "cgo" && o.File == nil {
		o.File = v.asFile(o, dir)
	}
	if !token.IsIdentifier(o.Package) {
		return fmt.Errorf("%q is no name of a Go package: give one with --pkg", o.Package)
	}
	for _, r := range []struct {
		flag, text string
		to         **regexp.Regexp
	}{{"--match", v.Match, &o.Match}, {"--leaf", v.Leaf, &o.Leaf}} {
		if r.text == "" {
			continue
		}
		if *r.to, err = regexp.Compile(r.text); err != nil {
			return fmt.Errorf("%s: %w", r.flag, err)
		}
	}
	for _, name := range pkgConfig {
		out, err := gotool.Run(s.ctx, gotool.Cmd{Args: []string{"pkg-config", "--cflags", name}})
		if err != nil {
			return fmt.Errorf("pkg-config --cflags %s: %w", name, gotool.Brief(err))
		}
		o.CFlags = append(o.CFlags, strings.Fields(string(out))...)
	}
	o.Command = v.command(o)
	r, err := bind.Run(s.ctx, o)
	if s.ctx.Err() != nil {
		return withCode(exitInterrupted, errors.New("interrupted: nothing was written"))
	}
	if err != nil {
		return err
	}
	if v.Check {
		names, err := r.Differing(dir)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			return withCode(exitFinding, fmt.Errorf("%s in %s differ from what would be written: run seam bind without --check", strings.Join(names, ", "), v.Output))
		}
		return nil
	}
	var changes []bind.Change
	if v.Update {
		var found bool
		if changes, found, err = r.Changes(dir); err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("there is no package of seam bind in %s to be updated: leave out --update", v.Output)
		}
	}
	if err := r.Install(dir); err != nil {
		return err
	}
	if v.Update {
		printChanges(s, changes)
		return nil
	}
	fmt.Fprintf(s.stdout, "%s: %s bound, %s not\n", v.Output, quantity.Plural(r.Functions, "function"), quantity.Plural(len(r.Refused), "name"))
	for _, x := range r.Refused {
		fmt.Fprintf(s.stdout, "  %s: %s\n", x.Name, x.Why)
	}
	fmt.Fprintf(s.stdout, "%s of sizes, offsets and constants agree with the C compilers for %s\n", quantity.Plural(r.Checks, "statement"), strings.Join(r.Targets, " and "))
	if len(r.Without) > 0 {
		fmt.Fprintf(s.stderr, "seam: the package is not for %s: there is no C compiler for it here\n", strings.Join(r.Without, ", "))
	}
	for _, x := range r.Unread {
		fmt.Fprintf(s.stderr, "seam: the package is not for %s: %s\n", x.Name, x.Why)
	}
	if r.Library == "" {
		fmt.Fprintf(s.stderr, "seam: no file of %s was found: functions that it lacks panic when they are called\n", strings.Join(o.Libs, ", "))
	}
	return nil
}

// printChanges lists what is gone (-), different (- and +) and new (+).
func printChanges(s *session, list []bind.Change) {
	var gone, different, added int
	for _, c := range list {
		if c.Was != "" {
			fmt.Fprintf(s.stdout, "- %s\n", c.Was)
		}
		if c.Now != "" {
			fmt.Fprintf(s.stdout, "+ %s\n", c.Now)
		}
		switch {
		case c.Now == "":
			gone++
		case c.Was == "":
			added++
		default:
			different++
		}
	}
	fmt.Fprintf(s.stdout, "%d gone, %d different, %d new\n", gone, different, added)
}

// file reads the bind.seam, which says what the flags would.
func (v *bindVerb) file() (*bind.File, error) {
	for flag, given := range map[string]bool{
		"lib": len(v.Lib) > 0, "pkg": v.Pkg != "", "cflags": v.CFlags != "", "pkg-config": len(v.PkgConfig) > 0,
		"trim": len(v.Trim) > 0, "match": v.Match != "", "leaf": v.Leaf != "",
	} {
		if given {
			return nil, withCode(exitUsage, fmt.Errorf("--%s and %s: write a line %s into that file instead", flag, v.Headers[0], flag))
		}
	}
	if v.Output == "" {
		v.Output = filepath.Dir(v.Headers[0])
	}
	return bind.LoadFile(v.Headers[0])
}

// asFile is what the flags say as a bind.seam in the folder of the package would, which through cgo the package's own
// flags for the C compiler come from.
func (v *bindVerb) asFile(o bind.Options, dir string) *bind.File {
	near := func(name string) string { // names are relative to where we are; in the file, to the folder
		if whole, err := filepath.Abs(name); err == nil {
			if rel, err := filepath.Rel(dir, whole); err == nil {
				return rel
			}
		}
		return name
	}
	f := &bind.File{Name: filepath.Join(dir, "bind.seam"), Package: o.Package, Via: v.Via, Libs: o.Libs, PkgConfig: v.PkgConfig, Trim: o.Trim}
	for _, h := range o.Headers {
		if info, err := os.Stat(h); err == nil && info.Mode().IsRegular() {
			h = near(h)
		}
		f.Headers = append(f.Headers, h)
	}
	for _, flag := range strings.Fields(v.CFlags) {
		if folder, ok := strings.CutPrefix(flag, "-I"); ok && folder != "" && !filepath.IsAbs(folder) {
			flag = "-I" + near(folder)
		}
		f.CFlags = append(f.CFlags, flag)
	}
	return f
}

// command is the call as the files' heads have it.
func (v *bindVerb) command(o bind.Options) string {
	words := []string{"seam", "bind"}
	add := func(flag string, values ...string) {
		for _, x := range values {
			if x != "" {
				words = append(words, flag, x)
			}
		}
	}
	add("--via", v.Via)
	if len(v.Headers) == 1 && strings.HasSuffix(v.Headers[0], ".seam") {
		return shellLine(append(words, filepath.Base(v.Headers[0])))
	}
	add("--lib", o.Libs...)
	add("--cflags", v.CFlags)
	add("--pkg-config", v.PkgConfig...)
	add("--trim", o.Trim...)
	add("--match", v.Match)
	add("--leaf", v.Leaf)
	return shellLine(append(words, o.Headers...))
}
