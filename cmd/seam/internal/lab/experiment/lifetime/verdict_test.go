package lifetime

import "testing"

const judgedSource = `package p

type value struct{}

func copied(s string) uint64 {
	p := C.CString(s)
	return C.look(p)
}

func pinned(b []byte) uint64 {
	var pins runtime.Pinner
	pins.Pin(&b[0])
	args := args{&b[0]}
	return C.at(&args)
}

func kept(all *mem.Handles[value], v *value) int {
	return all.New(v)
}

func stack() byte {
	var buf [128]byte
	return fill(buf[:])
}

func quiet(n int) int {
	return n
}
`

// What the compilers of Go 1.25 and 1.27 print, in pieces.
const judgedOutput = `# p
_cgo_gotypes.go:5:21: s escapes to heap
./idioms.go:5:6: cannot inline copied: marked go:noinline
./idioms.go:5:13: s does not escape
./idioms.go:7:3: func literal does not escape
./idioms.go:10:13: parameter b leaks to {heap} for pinned with derefs=0:
./idioms.go:10:13:   flow: p ← b:
./idioms.go:10:13:     from <node unsafe.SliceData> (call parameter) at ./idioms.go:12:11
./idioms.go:10:13:   flow: {heap} ← p:
./idioms.go:10:13:     from (*runtime.Pinner).Pin(pins, p) (call parameter) at ./idioms.go:12:10
./idioms.go:13:2: args escapes to heap in pinned:
./idioms.go:13:2:   flow: {heap} ← _cgo0:
./idioms.go:13:2:     from _Cfunc_seam_lifetime_at(_cgo0) (call parameter) at ./idioms.go:14:9
./idioms.go:10:13: parameter b leaks to args for pinned with derefs=0:
./idioms.go:10:13:   flow: args ← b:
./idioms.go:10:13:     from other(args) (call parameter) at ./idioms.go:13:9
./idioms.go:10:13: leaking param: b
./idioms.go:13:2: moved to heap: args
./idioms.go:13:2: moved to heap: args
/tmp/x/idioms.go:17:36: parameter v leaks to {heap} for kept with derefs=0:
/tmp/x/idioms.go:17:36:     from (*mem.Handles[go.shape.struct {}]).New(all, &mem..dict.Handles[p.value], v) (call parameter) at ./idioms.go:18:1
/tmp/x/idioms.go:17:11: leaking param: all
/tmp/x/idioms.go:17:36: leaking param: v
p/idioms.go:22:6: buf escapes to heap in stack:
p/idioms.go:22:6:     from C.seam_lifetime_fill(&buf) (call parameter) at p/idioms.go:23:6
p/idioms.go:22:6: buf escapes to heap in stack:
p/idioms.go:22:6:     from later(&buf) (call parameter) at p/idioms.go:23:6
p/idioms.go:22:6: moved to heap: buf
p/idioms.go:23:9: "a text" escapes to heap
p/idioms.go:23:9: make([]byte, mem.size) escapes to heap
p/idioms.go:23:9: &thing{...} escapes to heap
p/other.go:27:9: moved to heap: n
`

func TestVerdicts(t *testing.T) {
	all, err := verdicts(judgedSource, judgedOutput)
	if err != nil {
		t.Fatal(err)
	}
	for function, want := range map[string]verdict{
		"copied": {0, "s does not escape"},
		"pinned": {2, "leaking param: b (passed to runtime.Pinner.Pin); moved to heap: args (passed to C.at)"},
		"kept":   {1, "leaking param: v (passed to mem.Handles.New)"},
		"stack":  {2, "moved to heap: buf (passed to C.fill); &thing{...} escapes to heap"},
		"quiet":  {0, "nothing escapes"},
	} {
		if got := all[function]; got != want {
			t.Errorf("%s: %d, %q; want %d, %q", function, got.escapes, got.text, want.escapes, want.text)
		}
	}
	if len(all) != 5 {
		t.Errorf("%d functions", len(all))
	}
	if _, err := verdicts("no Go", ""); err == nil {
		t.Error("what is no Go was read as Go")
	}
}

// Whatever the compiler prints, reading it ends.
func FuzzVerdicts(f *testing.F) {
	f.Add(judgedOutput)
	f.Add("idioms.go:99999999999999999999:1: moved to heap: x\nidioms.go:6:1:     from (* (call parameter) at \n")
	f.Fuzz(func(t *testing.T, printed string) {
		all, err := verdicts(judgedSource, printed)
		if err != nil || len(all) != 5 {
			t.Errorf("%d functions: %v", len(all), err)
		}
		for name, v := range all {
			if v.text == "" || v.escapes < 0 {
				t.Errorf("%s: %d, %q", name, v.escapes, v.text)
			}
		}
	})
}

func TestCallee(t *testing.T) {
	for call, want := range map[string]string{
		"_Cfunc_seam_lifetime_look((*_Ctype_uchar)(p), n)": "C.look",
		"C.seam_lifetime_look(p)":                          "C.look",
		"_Cfunc_free(p)":                                   "C.free",
		"(*runtime.Pinner).Pin(pins, p)":                   "runtime.Pinner.Pin",
		"(*mem.Handles[go.shape.int]).New(all, v)":         "mem.Handles.New",
		"runtime.AddCleanup[go.shape.struct { n int }](o)": "runtime.AddCleanup",
		"fill(buf, 3)":                                     "fill",
		"<node unsafe.SliceData>":                          "",
		"(*":                                               "",
		"":                                                 "",
	} {
		if got := callee(call); got != want {
			t.Errorf("%q: %q, want %q", call, got, want)
		}
	}
}
