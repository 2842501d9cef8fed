package prof

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// readNoted reads the recording of a process that has written these pieces and these notes.
func readNoted(t *testing.T, pieces []byte, notes ...string) *Profile {
	t.Helper()
	dir := t.TempDir()
	var text []byte
	for _, n := range notes {
		text = append(text, head(0, []byte(n))...)
	}
	for name, text := range map[string][]byte{"77-1.prof": pieces, "77-1.note": text} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A report says what is not in it, and why.
func TestNotes(t *testing.T) {
	const tables = "path tables \n"
	one := recorded(t) // 40 ns of CPU time, and as many in samples, each of 10
	for _, c := range []struct {
		name   string
		pieces []byte
		notes  []string
		total  int64
		want   string // what the table says, if anything; "" for nothing
		gap    bool   // so that the exit code says it too
	}{
		{"ended", one, []string{tables, tables + "ended\n"}, 40, "", false},
		{"killed", one, []string{tables}, 40, "Note: process 77 ended by a signal, a panic or C's exit", false},
		{"cut off", one, []string{tables, tables + "ended\n" + strings.Repeat(" ", 9)}, 40, "", false},
		{"handler", busy(t, 5000), []string{tables + "signal SIGPROF is handled by f (lib.so)\nended\n"}, 40, "SIGPROF is handled by f (lib.so)", true},
		{"no timers", busyWithout(t, 5000), []string{tables + "ended\n"}, 0, "used 5.00 us of CPU time, and no sample came of it", true},
		{"too short", busyWithout(t, 50), []string{tables + "ended\n"}, 0, "less CPU time than one takes", false},
		{"deaf", busy(t, 40+50e6), []string{tables + "deaf 78 50000000 a worker\nended\n"}, 40 + 50e6, "thread 78 (a worker) of process 77 ran for 50.0 ms with SIGPROF blocked: its time counts as C's", false},
		{"deaf in the split", busy(t, 40+50e6), []string{tables + "deaf 78 50000000 a worker\nended\n"}, 40 + 50e6, "C 100.0 %", false},
		{"deaf in the table", busy(t, 40+50e6), []string{tables + "deaf 78 50000000 a worker\nended\n"}, 40 + 50e6, "50.0 ms 100.0 50.0 ms 100.0 C [thread a worker]", false},
		{"deaf and the period", busy(t, 40+50e6), []string{tables + "deaf 78 50000000 a worker\nended\n"}, 40 + 50e6, "50.0 ms of it in threads with SIGPROF blocked, of which only the names are known, a sample every 10.0 ns", false},
		{"queue", one, []string{tables + "queued 50000000\nended\n"}, 40, "50.0 ms 100.0 kernel [queue for a processor]", false},
		{"deaf and ours", busy(t, 40+50e6), []string{tables + "deaf 78 50000000 seam-tables\nended\n"}, 40, "", false},
	} {
		p := readNoted(t, c.pieces, c.notes...)
		var b strings.Builder
		if err := p.WriteText(&b, TextOptions{Options: text.Options{Width: 1000}}); err != nil {
			t.Fatal(err)
		}
		if p.Total(0) != c.total || (len(p.Gaps) > 0) != c.gap || !strings.Contains(strings.Join(strings.Fields(b.String()), " "), c.want) || c.want == "" && len(p.Notes) > 0 {
			t.Errorf("%s: %d ns, gaps %q, notes %q\n%s", c.name, p.Total(0), p.Gaps, p.Notes, b.String())
		}
	}
	if p := readNoted(t, nil, tables); p.Count != 0 || !strings.Contains(p.Lost, "process 77 has written nothing down") {
		t.Errorf("of nothing: %d processes, %q", p.Count, p.Lost)
	}
}

// A thread that no sample is of doesn't make the samples of the others count more.
func TestDeafScale(t *testing.T) {
	many := slices.Concat(slices.Repeat([][]byte{recorded(t)}, 20)...)
	if p := readNoted(t, slices.Concat(many, busyWithout(t, 4000)), "path tables \nended\n"); p.Total(0) < 4000 {
		t.Errorf("%d ns of a kernel with few ticks", p.Total(0))
	}
	if p := readNoted(t, slices.Concat(many, busyWithout(t, 4000)), "path tables \ndeaf 78 4000 x\nended\n"); p.Total(0) != 800 {
		t.Errorf("%d ns beside a thread without samples", p.Total(0))
	}
}

// busy is a piece with more CPU time than its samples have, and busyWithout one without samples.
func busy(t *testing.T, cpu uint64) []byte { return head(cpu, recorded(t)[16:]) }

func busyWithout(t *testing.T, cpu uint64) []byte {
	t.Helper()
	p, err := profile.ParseData(recorded(t)[16:])
	if err != nil {
		t.Fatal(err)
	}
	p.Sample = nil
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return head(cpu, b.Bytes())
}

// Where C can't be seen, its time is not taken for the crossing's.
func TestBlind(t *testing.T) {
	stack := func(names ...string) (list []Frame) {
		for _, name := range names {
			list = append(list, Frame{Func: name, Kind: kindOf(name, "")})
		}
		return list
	}
	for _, c := range []struct{ stack, want string }{
		{"runtime.cgocall main._Cfunc_f main.main", "C.f runtime.cgocall main._Cfunc_f main.main"},
		{"main._Cfunc_f main.main", "C.f main._Cfunc_f main.main"},
		{"main.back runtime.cgocall main._Cfunc_f main.main", "main.back runtime.cgocall main._Cfunc_f main.main"},
		{"main.main", "main.main"},
	} {
		got, _ := withCallee(stack(strings.Fields(c.stack)...))
		if want := stack(strings.Fields(c.want)...); !slices.Equal(got, want) && (got[0].Kind != C || got[0].Func != want[0].Func || !slices.Equal(got[1:], want[1:])) {
			t.Errorf("%s: %v", c.stack, got)
		}
	}
}

// A process that can't read /proc any more is in the files that it was in before.
func TestWithFiles(t *testing.T) {
	parse := func() *profile.Profile {
		p, err := profile.ParseData(recorded(t)[16:])
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first, later := parse(), parse()
	fake := &profile.Mapping{ID: 1}
	later.Mapping = []*profile.Mapping{fake}
	for _, l := range later.Location {
		l.Mapping = fake
	}
	if files := withFiles(later, withFiles(first, nil)); files[0].File != "/no/such/program" || later.Location[0].Mapping != files[0] || later.Mapping[0] != files[0] {
		t.Errorf("%+v of %+v", later.Location[0].Mapping, files)
	}
}

// What a note says of files serves where the profiles can't.
func TestNotedFiles(t *testing.T) {
	for line, want := range map[string]profile.Mapping{
		"7f00-7f80 r-xp 00001000 08:01 1234                       /usr/lib/a b/lib.so": {Start: 0x7f00, Limit: 0x7f80, Offset: 0x1000, File: "/usr/lib/a b/lib.so"},
		"7ff0-7ff1 r-xp 00000000 00:00 0                          [vdso]":              {Start: 0x7ff0, Limit: 0x7ff1, File: "[vdso]"},
		"7ff0-7ff1 r-xp 00000000 00:00 0 ":                                             {Start: 0x7ff0, Limit: 0x7ff1},
	} {
		if m := mappingOf(line); m == nil || m.Start != want.Start || m.Limit != want.Limit || m.Offset != want.Offset || m.File != want.File {
			t.Errorf("%q: %+v", line, m)
		}
	}
	for _, line := range []string{"", "7f80-7f00 r-xp 0 08:01 1 /x", "x-y r-xp 0 08:01 1 /x", "7f00-7f80 r-xp"} {
		if m := mappingOf(line); m != nil {
			t.Errorf("%q: %+v", line, m)
		}
	}
	files := []*profile.Mapping{mappingOf("1000-2000 r-xp 00000000 08:01 1 /lib.so")}
	p := &profile.Profile{Location: []*profile.Location{{Address: 0x1800}, {Address: 0x2800}}, Mapping: []*profile.Mapping{{}}}
	withFiles(p, files)
	if m := p.Location[0].Mapping; m == nil || m.File != "/lib.so" || p.Location[1].Mapping != nil {
		t.Errorf("%+v", p.Location)
	}
}
