package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Through cgo a function can run as a coroutine of package coro: locked to its thread (coro), on the package's
// executor, where waits hold no thread (park), or on one thread of the package's (session).

// runnerNames are what a package with coroutines exports for who chooses how they run.
var runnerNames = []string{"Runner", "WithRunner", "Plain"}

// usual are the functions that return the runner of a mode.
var usual = map[string]string{"coro": "locked", "park": "parked", "session": "inSession"}

// coroutines reports whether functions of the package run as coroutines.
func (g *generator) coroutines() bool {
	return g.o.viaCgo() && slices.ContainsFunc(g.o.File.Modes, Mode.coroutine)
}

// runners writes what all of a package's coroutines need, or says why there can be none.
func (g *generator) runners() {
	if f := g.o.File; f != nil && f.Via == "dl" {
		for _, m := range f.Modes {
			if m.coroutine() {
				g.wrong(m.place, "%s runs C as a coroutine of package coro, which takes cgo: write via cgo, or cgo %[2]s for ordinary calls", m.Mode, m.Pattern)
			}
		}
	}
	if !g.coroutines() {
		return
	}
	for _, f := range g.funcs {
		if f.mode.coroutine() {
			g.helpers[usual[f.mode.Mode]] = true
		}
	}
	if g.helpers["dropHandle"] {
		i := slices.IndexFunc(helperTexts, func(h helperText) bool { return h.name == "dropHandle" })
		c, pointer := upcalled("drop", []string{"uintptr_t"}, "")
		g.decls = append(g.decls, decl{"dropHandle", strings.Replace(helperTexts[i].text, "\treturn c.Pointer()\n", pointer, 1), c})
	}
	g.decls = append(g.decls, decl{"Runner", runnerText,
		"static int64_t seam_plain(uintptr_t fn, uintptr_t arg) { return ((int64_t (*)(void *, void *))fn)(0, (void *)arg); }\n"})
}

// rawCoroutine writes the function that takes what C takes, and the one that also takes a context and returns the
// error of a call that could not be made, or was given up.
func (g *generator) rawCoroutine(f *function, head, results, params string) (text, c string) {
	var b strings.Builder
	named, names := "", ""
	passed := []string{"context.Background()"}
	for _, p := range f.params {
		passed = append(passed, p.name)
	}
	back := ""
	if f.result != "" {
		named, names, back = "result "+f.result+", ", "result, ", "args.result, "
	}
	if f.errno {
		named, names, back = named+"errno syscall.Errno, ", names+"errno, ", back+"syscall.Errno(args.errno), "
	}
	fmt.Fprintf(&b, "%sfunc %s(%s) %s {\n\t%serr := call%[2]s(%[6]s)\n\tmust(err)\n", head, f.goName, params, results, names, strings.Join(passed, ", "))
	if names != "" {
		fmt.Fprintf(&b, "\treturn %s\n", strings.TrimSuffix(names, ", "))
	}
	ctx := f.contextName()
	params = strings.TrimSuffix(ctx+" context.Context, "+params, ", ")
	fmt.Fprintf(&b, "}\n\nfunc call%s(%s) (%serr error) {\n\targs := %sArgs{%s}\n\terr = %[4]s.call(%[6]s, unsafe.Pointer(&args))\n\treturn %[7]serr\n}\n", f.goName, params, named, f.args, f.literal(), ctx, back)
	fmt.Fprintf(&b, "\nvar %[1]s = coroutine{%[2]q, unsafe.Pointer(C.seam_%[2]s_address()), %[3]s, %[4]d}\n\nvar _ [unsafe.Sizeof(%[1]sArgs{})]byte = [C.sizeof_struct_seam_%[2]s_args]byte{}\n", f.args, f.c, usual[f.mode.Mode], f.mode.Stack)
	b.WriteString(f.argsType())
	return b.String(), g.argsShim(f, "int64_t", "void *co, void *p", "\t(void)co;\n\treturn 0;\n")
}

// contextName is the name of a function's context, which no parameter has.
func (f *function) contextName() string {
	if slices.ContainsFunc(f.params, func(p parameter) bool { return p.name == "ctx" }) {
		return "ctx_"
	}
	return "ctx"
}

// upcalled writes the C function by which C reaches a Go function from coroutines as well: there Go is called by a
// switch to the goroutine, and elsewhere through package dl. types are C's, of the fields of the struct; the
// Go variables are fn, the Go function on the struct, and c, package dl's callback.
func upcalled(name string, types []string, result string) (c, pointer string) {
	var fields strings.Builder
	var params, values, passed []string
	for i, t := range types {
		fmt.Fprintf(&fields, "\t%s a%d;\n", t, i)
		params, passed = append(params, fmt.Sprintf("%s a%d", t, i)), append(passed, fmt.Sprintf("a%d", i))
		values = append(values, fmt.Sprintf(".a%d = a%d", i, i))
	}
	returns, last := "return ", "\treturn a.result;\n"
	if result == "" {
		returns, last = "", ""
	} else {
		fmt.Fprintf(&fields, "\t%s result;\n", result)
	}
	result = cmp.Or(result, "void")
	list := strings.Join(params, ", ")
	c = fmt.Sprintf(`struct seam_%[1]s_args {
%[2]s};
extern int seam_coro_upcall_(uint64_t func, void *arg) __attribute__((weak));
static %[3]s (*seam_%[1]s_plain)(%[4]s);
static uint64_t seam_%[1]s_id;
static %[3]s seam_%[1]s(%[4]s) {
	struct seam_%[1]s_args a = {%[5]s};
	if (seam_coro_upcall_(seam_%[1]s_id, &a) == -9) { // SEAM_EMISUSE: this is no coroutine
		%[6]sseam_%[1]s_plain(%[7]s);
		%[8]s
	}
%[9]s}
static uintptr_t seam_%[1]s_by(uintptr_t plain, uint64_t id) {
	seam_%[1]s_plain = (%[3]s (*)(%[4]s))plain;
	seam_%[1]s_id = id;
	return (uintptr_t)seam_%[1]s;
}
`, name, fields.String(), result, list, strings.Join(values, ", "), returns, strings.Join(passed, ", "), map[bool]string{true: "return;"}[returns == ""], last)
	pointer = fmt.Sprintf("\tvar _ [unsafe.Sizeof(args{})]byte = [C.sizeof_struct_seam_%[1]s_args]byte{}\n\treturn uintptr(C.seam_%[1]s_by(C.uintptr_t(c.Pointer()), C.uint64_t(coro.Register(fn).ID())))\n", name)
	return c, pointer
}

const runnerText = `// A Runner makes calls of C: coro.Locked, the Runner of a coro.Executor or a coro.Session, or [Plain].
type Runner interface {
	Call(ctx context.Context, fn, arg unsafe.Pointer) (int64, error)
}

type runnerKey struct{}

// WithRunner returns a context with which r makes the calls that bind.seam has as coro, park or session. Its options
// are its own: the size of its stacks, too.
func WithRunner(ctx context.Context, r Runner) context.Context {
	return context.WithValue(ctx, runnerKey{}, r)
}

// Plain makes ordinary calls through cgo. One that has begun can't be given up.
var Plain Runner = plain{}

type plain struct{}

func (plain) Call(ctx context.Context, fn, arg unsafe.Pointer) (int64, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	// The arguments are on the heap, as all that escapes to a Runner, so they stay where they are.
	result := C.seam_plain(C.uintptr_t(uintptr(fn)), C.uintptr_t(uintptr(arg)))
	runtime.KeepAlive(arg)
	return int64(result), nil
}

// A coroutine is a C function that runs as one.
type coroutine struct {
	name  string
	fn    unsafe.Pointer
	usual func() (coro.Runner, error)
	stack int
}

func (c *coroutine) call(ctx context.Context, args unsafe.Pointer) error {
	r, given := ctx.Value(runnerKey{}).(Runner)
	if !given {
		usual, err := c.usual()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		r = usual.With(coro.Options{Name: c.name, StackSize: c.stack})
	}
	_, err := r.Call(ctx, c.fn, args)
	return err
}

// must ends a call that could not be made, by a function that returns no error.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
`
