package bind

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/wordlines"
)

// Version is the version of the format of bind.seam, in its first line.
const Version = 1

const (
	maxFile = 4 << 20 // a description of 20,000 functions
)

// A File is what a bind.seam says: what to bind, and what C's types don't tell.
type File struct {
	Name      string
	Package   string
	Via       string // "dl" or "cgo"
	Headers   []string
	Libs      []string
	CFlags    []string
	PkgConfig []string
	Link      []string // flags for the linker, through cgo
	Build     []string // build tags that the package is for
	Version   *Reported
	Trim      []string
	Match     *regexp.Regexp
	Except    *regexp.Regexp
	Renames   map[string]string // C name → Go name
	Modes     []Mode
	Handles   []Handle
	Errors    map[string]*Failure
	Funcs     []*Described
}

// Options are what the file asks for. Folders in it are relative to its own.
func (f *File) Options() Options {
	dir := filepath.Dir(f.Name)
	o := Options{Libs: f.Libs, Package: f.Package, Trim: f.Trim, Match: f.Match, Except: f.Except, File: f}
	for _, h := range f.Headers {
		if near := filepath.Join(dir, h); isFile(near) {
			h = near
		}
		o.Headers = append(o.Headers, h)
	}
	for i, flag := range f.CFlags {
		if folder, ok := strings.CutPrefix(flag, "-I"); ok && folder != "" && !filepath.IsAbs(folder) {
			flag = "-I" + filepath.Join(dir, folder)
		} else if i > 0 && f.CFlags[i-1] == "-I" && !filepath.IsAbs(flag) {
			flag = filepath.Join(dir, flag)
		}
		o.CFlags = append(o.CFlags, flag)
	}
	return o
}

// A place is where something stands in the file.
type place struct{ line, column int }

// A Mode says how the functions whose names match are called.
type Mode struct {
	place
	Pattern string
	Mode    string // "leaf", "cgo", "offload", "coro", "park" or "session"
	Bound   int    // for offload
	Stack   int    // bytes of a coroutine's stack; 0: as package coro has it
}

// coroutine reports whether the functions run as coroutines of package coro.
func (m Mode) coroutine() bool { return slices.Contains([]string{"coro", "park", "session"}, m.Mode) }

// A Reported says by which function a library tells its version, and which constant is that of the headers.
type Reported struct {
	place
	Func, Const string
	Unit        int64 // by how much a number grows with each major version; 0 for a text, as "1.2.13"
}

// A Handle is a C type whose values are a Go type of their own.
type Handle struct {
	place
	C, Go string
	Free  string // the C function that ends one; "" if none does
}

// A Failure says which results of a function are failures.
type Failure struct {
	place
	name  string
	OK    []string // results that are none; or
	Fail  string   // "nil", "negative", an integer; or
	Test  *Expr    // a call that is not 0
	Text  *Expr    // a call that returns what to tell, or nil
	Errno bool
}

// An Expr is a call of a C function on such expressions, or the name of a value.
type Expr struct {
	Name string
	Call bool
	Args []*Expr
}

func (x *Expr) String() string {
	if !x.Call {
		return x.Name
	}
	var args []string
	for _, a := range x.Args {
		args = append(args, a.String())
	}
	return x.Name + "(" + strings.Join(args, ",") + ")"
}

// A Described is a func line.
type Described struct {
	place
	Pattern string
	As      string // the Go name
	Params  []Param
	Result  *Param // nil if it is as in C
	Context bool   // the Go function takes a context
}

// A Param says what a parameter, or the result, is.
type Param struct {
	place
	Name  string // C's, or its number from 1
	Kind  string
	Other string // the parameter that the kind refers to: a length, a callback's data
	Value string // of a constant; the name of an error
	Expr  *Expr  // the length of a result
	Free  string // the C function that frees it
	At    int    // which parameter of a callback is its data, from 1; 0 for its only void *
	Kept  bool   // C keeps it beyond the call
	Bare  bool   // of a result that is an error: it says no more than that
}

// exact reports whether the line is for one function.
func (d *Described) exact() bool { return !strings.Contains(d.Pattern, "*") }

// matches reports whether a pattern, in which * stands for anything, matches a name.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name) // C's names have no slash
	return err == nil && ok
}

var fileFormat = wordlines.Format{Name: "bind.seam", Version: Version, Most: maxFile, What: "no bind.seam"}

// LoadFile reads a bind.seam.
func LoadFile(name string) (*File, error) {
	src, err := fileFormat.Load(name)
	if err != nil {
		return nil, err
	}
	return ParseFile(name, src)
}

// ParseFile reads a bind.seam; name is for messages. The error has a line for each of the first
// mistakes, with file, line and column (counted in bytes).
func ParseFile(name string, src []byte) (*File, error) {
	p := &fileParser{Reader: wordlines.Reader{Name: name}, file: &File{Name: name, Via: "dl", Renames: map[string]string{}, Errors: map[string]*Failure{}}, once: map[string]int{}}
	fileFormat.Read(&p.Reader, src, p.line)
	if len(src) > maxFile {
		return nil, p.Err()
	}
	if len(p.Errs) == 0 {
		p.complete()
	}
	return p.file, p.Err()
}

type fileParser struct {
	wordlines.Reader
	file *File
	once map[string]int // lines that there may be one of
}

func (f *File) errorAt(at place, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", f.Name, at.line, at.column, fmt.Sprintf(format, args...))
}

type word = wordlines.Word

var (
	wordShape    = regexp.MustCompile(`[^ \t]+`)
	cName        = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	goName       = regexp.MustCompile(`^[A-Z]\w*$`)
	buildTag     = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	versionShape = regexp.MustCompile(`^([A-Za-z_]\w*)=([A-Za-z_]\w*)(?::([1-9]\d{0,17}))?$`)
	packageName  = regexp.MustCompile(`^[a-z]\w*$`)
	cPattern     = regexp.MustCompile(`^[A-Za-z_*][\w*]*$`)
	paramShape   = regexp.MustCompile(`^(?:[A-Za-z_]\w*|[1-9]\d?)$`)
	exprName     = regexp.MustCompile(`^\w+`)
	fileShape    = regexp.MustCompile(`^[\w./+-]+$`)
	flagShape    = regexp.MustCompile("^[^\"'`\\\\]+$")
	constShape   = regexp.MustCompile(`^(?:nil|-?\d{1,20}|0[xX][0-9a-fA-F]{1,16}|[A-Za-z_]\w*)$`)
)

var directives = strings.Fields("package via build header lib cflags pkg-config link trim match except rename version leaf cgo offload coro park session handle error func")

func (p *fileParser) line(text string, words []word, _ string) {
	first, rest := words[0], words[1:]
	name, bound, hasBound := strings.Cut(first.Text, ":")
	if !slices.Contains(directives, name) || hasBound && name != "offload" {
		p.Fail(first.Column, "%.40q is no word that begins a line (%s)%s", first.Text, strings.Join(directives, ", "), wordlines.Meant(name, directives))
		return
	}
	if len(rest) == 0 {
		p.Fail(len(text), "%s needs %s", name, needs[name])
		return
	}
	f := p.file
	switch name {
	case "package":
		f.Package = p.single(name, rest, packageName, "the name of a Go package")
	case "via":
		if f.Via = p.single(name, rest, wordShape, ""); f.Via != "dl" && f.Via != "cgo" {
			p.Fail(rest[0].Column, "%.40q: packages are made via dl or via cgo", f.Via)
		}
	case "build":
		f.Build = p.all(f.Build, rest, buildTag)
	case "match":
		f.Match = p.pattern(name, rest)
	case "except":
		f.Except = p.pattern(name, rest)
	case "header":
		f.Headers = p.all(f.Headers, rest, fileShape)
	case "lib":
		f.Libs = p.all(f.Libs, rest, fileShape)
	case "cflags":
		f.CFlags = p.all(f.CFlags, rest, flagShape)
	case "pkg-config":
		f.PkgConfig = p.all(f.PkgConfig, rest, fileShape)
	case "link":
		f.Link = p.all(f.Link, rest, flagShape)
	case "trim":
		f.Trim = p.all(f.Trim, rest, fileShape)
	case "rename":
		p.rename(rest)
	case "version":
		p.version(rest)
	case "leaf", "cgo", "offload", "coro", "park", "session":
		p.mode(name, bound, first, rest)
	case "handle":
		p.handle(rest)
	case "error":
		p.failure(rest)
	case "func":
		p.function(rest)
	}
}

var needs = map[string]string{
	"package": "a name: package sqlite", "via": "dl or cgo: via cgo", "header": "headers, as in #include: header sqlite3.h",
	"lib": "libraries with their version: lib libsqlite3.so.0", "cflags": "flags: cflags -DNAME", "pkg-config": "names: pkg-config sqlite3",
	"build": "build tags: build have_sqlite", "link": "flags for the linker: link -lsqlite3", "trim": "prefixes: trim sqlite3_", "match": "a regular expression: match ^sqlite3_",
	"except": "a regular expression: except _interrupt$", "rename": "a C name and a Go name: rename sqlite3_errmsg ErrorText",
	"leaf": "functions: leaf sqlite3_column_*", "cgo": "functions: cgo sqlite3_step", "offload": "a bound and functions: offload:8 sqlite3_step",
	"coro": "functions: coro qsort", "park": "functions: park PQ*", "session": "functions: session gl*",
	"handle":  "a C type and a Go name: handle sqlite3 DB free=sqlite3_close_v2",
	"version": "a C function and a constant: version zlibVersion=ZLIB_VERSION",
	"error":   "a name and which results are failures: error sqlite ok=0 text=sqlite3_errstr(result)",
	"func":    "a C function, and what its parameters are: func sqlite3_errmsg result=string",
}

// single is the word of a line that there may be one of.
func (p *fileParser) single(name string, rest []word, shape *regexp.Regexp, what string) string {
	if at, twice := p.once[name]; twice {
		p.Fail(0, "%s stands in line %d already", name, at)
	}
	p.once[name] = p.Line
	if len(rest) > 1 {
		p.Fail(rest[1].Column, "%.40q: %s takes one word", rest[1].Text, name)
	}
	if !shape.MatchString(rest[0].Text) {
		p.Fail(rest[0].Column, "%.40q is not %s", rest[0].Text, what)
	}
	return rest[0].Text
}

func (p *fileParser) pattern(name string, rest []word) *regexp.Regexp {
	re, err := regexp.Compile(p.single(name, rest, wordShape, ""))
	if err != nil {
		p.Fail(rest[0].Column, "%v", err)
		return nil
	}
	return re
}

func (p *fileParser) all(list []string, rest []word, shape *regexp.Regexp) []string {
	for _, w := range rest {
		if !shape.MatchString(w.Text) || strings.Contains(w.Text, "*/") {
			p.Fail(w.Column, "%.80q: a name has letters, digits and the signs _ . / + -; a flag no quotes and no backslash", w.Text)
			continue
		}
		list = append(list, w.Text)
	}
	return list
}

func (p *fileParser) rename(rest []word) {
	if len(rest) != 2 || !cName.MatchString(rest[0].Text) || !goName.MatchString(rest[1].Text) {
		p.Fail(rest[0].Column, "want a C name and an exported Go name: rename sqlite3_errmsg ErrorText")
		return
	}
	if _, twice := p.file.Renames[rest[0].Text]; twice {
		p.Fail(rest[0].Column, "%.80s is renamed already", rest[0].Text)
		return
	}
	p.file.Renames[rest[0].Text] = rest[1].Text
}

func (p *fileParser) version(rest []word) {
	m := versionShape.FindStringSubmatch(p.single("version", rest, versionShape, "FUNCTION=CONSTANT or FUNCTION=CONSTANT:UNIT, as sqlite3_libversion_number=SQLITE_VERSION_NUMBER:1000000"))
	if m == nil {
		return
	}
	p.file.Version = &Reported{place: place{p.Line, rest[0].Column + 1}, Func: m[1], Const: m[2]}
	p.file.Version.Unit, _ = strconv.ParseInt(m[3], 10, 64)
}

func (p *fileParser) mode(name, bound string, first word, rest []word) {
	m := Mode{Mode: name}
	if name == "offload" {
		n, err := strconv.Atoi(bound)
		if err != nil || n < 1 || n > 10_000 {
			p.Fail(first.Column, "%.40q: offload has a bound from 1 to 10000: offload:8", first.Text)
			return
		}
		m.Bound = n
	}
	for i := len(rest) - 1; i > 0 && strings.Contains(rest[i].Text, "="); i-- { // stack=SIZE, which is for all of the line
		size, isStack := strings.CutPrefix(rest[i].Text, "stack=")
		switch n, ok := stackSize(size); {
		case !isStack || !m.coroutine():
			p.Fail(rest[i].Column, "%.40q: only lines of coro, park and session have an option, stack=SIZE", rest[i].Text)
		case !ok:
			p.Fail(rest[i].Column+len("stack="), "%.40q is not the size of a stack (from 16KiB to 8MiB, such as 256KiB)", size)
		case m.Stack > 0:
			p.Fail(rest[i].Column, "stack= appears twice in this line")
		default:
			m.Stack = n
		}
		rest = rest[:i]
	}
	for _, w := range rest {
		if !cPattern.MatchString(w.Text) {
			p.Fail(w.Column, "%.80q is no C function, nor a pattern with *", w.Text)
			continue
		}
		m.place, m.Pattern = place{p.Line, w.Column + 1}, w.Text
		p.file.Modes = append(p.file.Modes, m)
	}
}

// stackSize reads 256KiB or 1MiB.
func stackSize(text string) (bytes int, ok bool) {
	for unit, size := range map[string]int{"KiB": 1 << 10, "MiB": 1 << 20} {
		if number, is := strings.CutSuffix(text, unit); is && constShape.MatchString(number) {
			n, err := strconv.Atoi(number)
			return n * size, err == nil && n > 0 && n <= 8<<10 && n*size >= 16<<10 && n*size <= 8<<20
		}
	}
	return 0, false
}

// flags are options that have no value.
var flags = []string{"errno", "context"}

// An option is a word name=value, or a flag.
func (p *fileParser) options(rest []word, each func(name, value string, w word)) {
	seen := map[string]bool{}
	for _, w := range rest {
		name, value, ok := strings.Cut(w.Text, "=")
		if !ok && !slices.Contains(flags, name) || ok && value == "" {
			p.Fail(w.Column, "%.40q: want NAME=VALUE", w.Text)
			continue
		}
		if seen[name] {
			p.Fail(w.Column, "%.40s= appears twice in this line", name)
			continue
		}
		seen[name] = true
		each(name, value, w)
	}
}

func (p *fileParser) handle(rest []word) {
	if len(rest) < 2 || !cName.MatchString(rest[0].Text) || !goName.MatchString(rest[1].Text) {
		p.Fail(rest[0].Column, "want a C type and an exported Go name: handle sqlite3 DB free=sqlite3_close_v2")
		return
	}
	h := Handle{place: place{p.Line, rest[0].Column + 1}, C: rest[0].Text, Go: rest[1].Text}
	for _, other := range p.file.Handles {
		if other.C == h.C || other.Go == h.Go {
			p.Fail(rest[0].Column, "%.80s or %.80s is a handle already, in line %d", h.C, h.Go, other.line)
			return
		}
	}
	p.options(rest[2:], func(name, value string, w word) {
		if name != "free" || !cName.MatchString(value) {
			p.Fail(w.Column, "%.80q: a handle has free=FUNCTION", w.Text)
			return
		}
		h.Free = value
	})
	p.file.Handles = append(p.file.Handles, h)
}

// parseCall reads F(a,G(b)).
func parseCall(text string) (*Expr, bool) {
	x, rest, ok := parseExpr(text, 0)
	return x, ok && rest == "" && x.Call
}

func parseExpr(text string, depth int) (x *Expr, rest string, ok bool) {
	name := exprName.FindString(text)
	if name == "" || depth > 5 {
		return nil, "", false
	}
	x = &Expr{Name: name}
	if rest, x.Call = strings.CutPrefix(text[len(name):], "("); !x.Call {
		return x, rest, true
	}
	for rest != "" {
		if after, end := strings.CutPrefix(rest, ")"); end && len(x.Args) == 0 {
			return x, after, true
		}
		var a *Expr
		if a, rest, ok = parseExpr(rest, depth+1); !ok || rest == "" {
			return nil, "", false
		}
		x.Args = append(x.Args, a)
		switch rest[0] {
		case ')':
			return x, rest[1:], true
		case ',':
			rest = rest[1:]
		default:
			return nil, "", false
		}
	}
	return nil, "", false
}

func (p *fileParser) failure(rest []word) {
	if !cName.MatchString(rest[0].Text) {
		p.Fail(rest[0].Column, "%.40q is no name of an error", rest[0].Text)
		return
	}
	e := &Failure{place: place{p.Line, rest[0].Column + 1}, name: rest[0].Text}
	if other, twice := p.file.Errors[e.name]; twice {
		p.Fail(rest[0].Column, "%.80s has a line already, line %d", e.name, other.line)
		return
	}
	p.options(rest[1:], func(name, value string, w word) {
		at := w.Column + len(name) + 1
		switch name {
		case "ok":
			e.OK = strings.Split(value, ",")
			for _, v := range e.OK {
				if !constShape.MatchString(v) || v == "nil" {
					p.Fail(at, "%.40q: ok= has integers or C's constants, with commas: ok=0,SQLITE_ROW", v)
				}
			}
		case "fail":
			if x, ok := parseCall(value); ok {
				e.Test = x
			} else if e.Fail = value; value != "nil" && value != "negative" && !constShape.MatchString(value) {
				p.Fail(at, "%.40q: want fail=nil, fail=negative, fail=-1 or fail=FUNCTION(result)", value)
			}
		case "text":
			x, ok := parseCall(value)
			if !ok {
				p.Fail(at, "%.80q: want a call, as text=sqlite3_errmsg(self)", value)
			}
			e.Text = x
		case "errno":
			if value != "" {
				p.Fail(at, "errno takes no value")
			}
			e.Errno = true
		default:
			p.Fail(w.Column, "unknown option %.40q%s", name, wordlines.Meant(name, []string{"ok", "fail", "text", "errno"}))
		}
	})
	if (e.OK == nil) == (e.Fail == "" && e.Test == nil) {
		p.Fail(rest[0].Column, "want either ok= or fail=, which say which results are failures")
	}
	p.file.Errors[e.name] = e
}

// Kinds of parameters, and of results.
var (
	paramKinds  = strings.Fields("string string? text bytes room out const callback destroy nullable taken bool number")
	resultKinds = strings.Fields("string bytes text owned borrowed error bool ignore")
)

func (p *fileParser) function(rest []word) {
	d := &Described{place: place{p.Line, rest[0].Column + 1}, Pattern: rest[0].Text}
	if !cPattern.MatchString(d.Pattern) {
		p.Fail(rest[0].Column, "%.80q is no C function, nor a pattern with *", d.Pattern)
		return
	}
	for _, other := range p.file.Funcs {
		if other.Pattern == d.Pattern {
			p.Fail(rest[0].Column, "%.80s has a line already, line %d", d.Pattern, other.line)
			return
		}
	}
	p.options(rest[1:], func(name, value string, w word) {
		at := place{p.Line, w.Column + len(name) + 2}
		switch {
		case name == "context" && value == "":
			d.Context = true
		case name == "errno" && value == "":
			p.Fail(w.Column, "errno stands in the line of an error: want NAME=VALUE")
		case name == "as":
			if d.As = value; !goName.MatchString(value) || !d.exact() {
				p.Fail(at.column-1, "%.80q: as= gives one function an exported Go name", value)
			}
		case name == "result":
			x := p.param(name, value, at, resultKinds)
			d.Result = &x
		case !paramShape.MatchString(name):
			p.Fail(w.Column, "%.80q is no parameter: want its name in C, or its number from 1", name)
		default:
			d.Params = append(d.Params, p.param(name, value, at, paramKinds))
		}
	})
	p.file.Funcs = append(p.file.Funcs, d)
}

// param reads KIND[:WHAT][,OPTION…]. A call has commas of its own.
func (p *fileParser) param(name, value string, at place, kinds []string) Param {
	x := Param{place: at, Name: name}
	bad := func(format string, args ...any) Param {
		p.Fail(at.column-1, format, args...)
		return x
	}
	text, options := value, ""
	if end := strings.LastIndexByte(value, ')'); end >= 0 {
		text, options = value[:end+1], value[end+1:]
	} else if comma := strings.IndexByte(value, ','); comma >= 0 {
		text, options = value[:comma], value[comma:]
	}
	what := ""
	x.Kind, what, _ = strings.Cut(text, ":")
	if !slices.Contains(kinds, x.Kind) {
		return bad("%.40q is not what %.80s may be (%s)%s", x.Kind, name, strings.Join(kinds, ", "), wordlines.Meant(x.Kind, kinds))
	}
	var isOption bool
	for o := range strings.SplitSeq(strings.TrimPrefix(options, ","), ",") {
		free, ok := strings.CutPrefix(o, "free=")
		switch {
		case o == "" && options == "":
		case ok && cName.MatchString(free):
			x.Free, isOption = free, true
		case o == "kept" && x.Kind == "callback":
			x.Kept = true
		case o == "ignore" && x.Kind == "error":
			x.Bare = true
		case strings.HasPrefix(o, "error:") && slices.Contains([]string{"string", "bytes", "text", "owned", "borrowed"}, x.Kind) && name == "result":
			if x.Value = o[len("error:"):]; !cName.MatchString(x.Value) {
				return bad("%.40q is no name of an error", x.Value)
			}
		default:
			return bad("%.40q: unknown option of %s", o, x.Kind)
		}
	}
	kind := x.Kind
	if kind == "text" && name == "result" { // as bytes
		kind = "bytes"
	}
	switch kind {
	case "text", "room", "callback", "destroy":
		data, number, hasNumber := strings.Cut(what, ":")
		if hasNumber && x.Kind == "callback" {
			n, err := strconv.Atoi(number)
			if err != nil || n < 1 || n > 50 {
				return bad("%.40q: want the number of the callback's parameter that is its data: callback:pArg:1", number)
			}
			x.At, what = n, data
		}
		if !paramShape.MatchString(what) {
			return bad("%s refers to a parameter: %s", x.Kind, map[string]string{"text": "text:LENGTH", "room": "room:LENGTH", "callback": "callback:DATA", "destroy": "destroy:DATA"}[x.Kind])
		}
		x.Other = what
	case "bytes":
		if call, ok := parseCall(what); ok && name == "result" {
			x.Expr = call
		} else if !paramShape.MatchString(what) {
			return bad("%s refers to the parameter that is its length: %[1]s:LENGTH", x.Kind)
		}
		x.Other = what
	case "out":
		if x.Value = what; what != "" && what != "owned" && what != "borrowed" && what != "string" {
			return bad("%.40q: out takes nothing, or out:owned, out:borrowed, out:string", what)
		}
	case "const":
		if x.Value = what; !constShape.MatchString(what) {
			return bad("%.40q: want nil, an integer or one of C's constants: const:-1", what)
		}
	case "error":
		if x.Value = what; !cName.MatchString(what) {
			return bad("want the name of an error line: error:sqlite")
		}
	default:
		if what != "" {
			return bad("%s takes nothing after a colon", x.Kind)
		}
	}
	if isOption && x.Kind != "string" && kind != "bytes" && (x.Kind != "out" || x.Value != "string") || x.Free != "" && name != "result" && x.Kind != "out" {
		return bad("free= is for strings and bytes that C returns")
	}
	return x
}

// complete looks at what only the whole file shows.
func (p *fileParser) complete() {
	f := p.file
	for _, d := range f.Funcs {
		if d.Result != nil && d.Result.Value != "" && f.Errors[d.Result.Value] == nil {
			var names []string
			for n := range f.Errors {
				names = append(names, n)
			}
			slices.Sort(names)
			p.Errs = append(p.Errs, f.errorAt(d.Result.place, "there is no line error %.80s%s", d.Result.Value, wordlines.Meant(d.Result.Value, names)))
		}
	}
	for _, missing := range [][2]string{{f.Package, "package"}, {strings.Join(f.Headers, " "), "header"}, {strings.Join(f.Libs, " "), "lib"}} {
		if missing[0] == "" {
			p.Errs = append(p.Errs, fmt.Errorf("%s: there is no line %s, which needs %s", f.Name, missing[1], needs[missing[1]]))
		}
	}
}
