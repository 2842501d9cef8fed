package limits

import (
	"errors"
	"strings"
	"testing"
)

const counted64 = "seam max 1000000000\nseam start 4202496 2048\nseam make 32\nseam append 32\nseam bytes 32\nseam return 64\nseam end 0\n"

func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		name, said string
		key        string
		want       Value
		err        string
	}{
		{name: "a number", said: counted64, key: "make_variable", want: Value{N: 32}},
		{name: "stacks with some in stock", said: counted64, key: "start", want: Value{N: 2048}},
		{name: "other lines between", said: "SIGUNUSUAL\nseam\nseam x y\n" + counted64, key: "max", want: Value{N: 1e9}},
		{name: "no end found", said: strings.Replace(counted64, "make 32", "make 262144", 1), key: "make_variable", want: Value{N: 256 << 10, AtLeast: true}},
		{name: "no power of two", said: strings.Replace(counted64, "4202496", "6291456", 1), key: "start",
			want: Value{Missing: "2048 goroutines have stacks of 3072 bytes in the mean, which is no power of two"}},
		{name: "cut short", said: "seam max 5\nfatal error: x\n", err: `the program ended early and said "fatal error: x"`},
		{name: "nothing", said: "", err: "the program ended early"},
		{name: "a number is missing", said: strings.Replace(counted64, "seam make 32\n", "", 1), err: `the program said [] for "make"`},
		{name: "negative", said: strings.Replace(counted64, "make 32", "make -32", 1), err: `the program said [] for "make"`},
		{name: "too many", said: strings.Replace(counted64, "make 32", "make 262145", 1), err: `the program said [262145] for "make"`},
		{name: "no goroutines", said: strings.Replace(counted64, "4202496 2048", "0 0", 1), err: `the program said [0 0] for "start"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c counts
			values := map[string]Value{}
			err := lines(strings.NewReader(tt.said), c.line)
			if err == nil {
				err = c.values(values)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if got := values[tt.key]; tt.err == "" && got != tt.want {
				t.Errorf("%s is %+v, want %+v", tt.key, got, tt.want)
			}
		})
	}
}

// All that a program says is read, so that it never waits for us; of a long line only the
// beginning is kept.
func TestLines(t *testing.T) {
	from := strings.NewReader("first\n" + strings.Repeat("x", 1<<20) + "\nlast")
	var got []string
	err := lines(from, func(line string) error {
		got = append(got, line[:min(5, len(line))])
		return errors.New("no more")
	})
	if err == nil || strings.Join(got, " ") != "first" || from.Len() != 0 {
		t.Errorf("%v, %q, %d bytes unread", err, got, from.Len())
	}
	got = nil
	from = strings.NewReader("first\r\n" + strings.Repeat("x", 1<<20) + "\nlast")
	err = lines(from, func(line string) error {
		if len(line) > 4<<10 {
			t.Errorf("a line of %d bytes", len(line))
		}
		got = append(got, line[:min(6, len(line))])
		return nil
	})
	if err != nil || strings.Join(got, " ") != "first xxxxxx last" {
		t.Errorf("%v, %q", err, got)
	}
}

const died = "seam frame 65592 65592\nseam depth 1\nseam depth 2\n" +
	"runtime: goroutine stack exceeds 250000-byte limit\n" +
	"runtime: sp=0xc020070148 stack=[0xc020060000, 0xc020080000]\n" +
	"fatal error: stack overflow\n\ngoroutine 1 [running]:\nseam depth 77\n"

func TestDeath(t *testing.T) {
	for _, tt := range []struct{ name, said, err string }{
		{name: "as it should", said: strings.Replace(died, "0xc020080000", "0xc0200a0000", 1)},
		{"more frames than there is room", died, "2 frames of 65592 bytes don't fit into a stack of 131072"},
		{"no overflow", "seam frame 65592 65592\nseam depth 1\n", "did not overflow; it got to depth 1"},
		{"out of memory", "seam frame 65592 65592\nseam depth 1\nfatal error: runtime: cannot allocate memory\n", "died of something else: runtime: cannot allocate memory"},
		{"another limit", strings.Replace(died, "250000-", "1000-", 1), "a limit of 1000 bytes, and debug.SetMaxStack of 250000"},
		{"a frame that changes", strings.Replace(died, "65592 65592", "65592 65600", 1), `said "seam frame 65592 65600" after depth 0`},
		{"a depth left out", strings.Replace(died, "depth 2", "depth 3", 1), `said "seam depth 3" after depth 1`},
		{"no frame", strings.Replace(died, "seam frame 65592 65592\n", "", 1), "frames of 0 bytes"},
		{"another message", strings.Replace(died, "250000-byte limit", "many bytes", 1), `message is not understood: "runtime: goroutine stack exceeds many bytes"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d death
			values := map[string]Value{}
			err := lines(strings.NewReader(tt.said), d.line)
			if err == nil {
				err = d.values(250000, values)
			}
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || len(values) != 0 {
					t.Errorf("error %v, want %q; %v", err, tt.err, values)
				}
				return
			}
			if err != nil || values["overflow_frames"] != (Value{N: 2, Frame: 65592}) || values["overflow_stack"].N != 256<<10 {
				t.Errorf("%v, %+v", err, values)
			}
		})
	}
	// Go 1.13 does not tell the stack.
	var d death
	values := map[string]Value{}
	if err := lines(strings.NewReader("seam frame 8 8\nseam depth 1\nruntime: goroutine stack exceeds 9-byte limit\nfatal error: stack overflow\n"), d.line); err != nil {
		t.Fatal(err)
	}
	if err := d.values(9, values); err != nil || values["overflow_stack"].Missing == "" || values["overflow_frames"].N != 1 {
		t.Errorf("%v, %+v", err, values)
	}
}

func FuzzDeath(f *testing.F) {
	f.Add(died)
	f.Add("runtime: sp=0x1 stack=[0x0, 0xffffffffffffffff]\nfatal error: stack overflow\nseam frame 0 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		var d death
		var c counts
		values := map[string]Value{}
		if lines(strings.NewReader(text), d.line) == nil && d.values(250000, values) == nil {
			for key, v := range values {
				if v.Missing == "" && v.N <= 0 {
					t.Errorf("%s: %+v", key, v)
				}
			}
		}
		if lines(strings.NewReader(text), c.line) == nil && c.values(values) == nil && len(values) < len(counted) {
			t.Errorf("%v", values)
		}
	})
}

func TestRoomForStack(t *testing.T) {
	for _, tt := range []struct {
		limit, available int64
		want             string
	}{
		{1e9, 0, ""},
		{1e9, 640 << 20, ""},
		{1e9, 640<<20 - 1, "a stack of 512 MiB needs 640 MiB of memory and there are 640 MiB"},
		{250e6, 160 << 20, ""},
		{250e6, 100 << 20, "a stack of 128 MiB needs 160 MiB of memory and there are 100 MiB"},
		{0, 1, ""},
	} {
		err := roomFor(tt.limit, tt.available)
		if got := ""; err != nil {
			if got = err.Error(); got != tt.want {
				t.Errorf("%+v: %q", tt, got)
			}
		} else if tt.want != "" {
			t.Errorf("%+v: no error", tt)
		}
	}
}
