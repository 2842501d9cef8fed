package limits

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// A report as it may be, from the history: three versions, one that can't be measured,
// one value that is not as it was.
func example(t *testing.T) *Report {
	t.Helper()
	r := &Report{GOOS: "linux", GOARCH: "amd64", Limits: describe()}
	for _, m := range History()[0].Toolchains {
		switch minor(m.Version) {
		case "go1.23":
			m.Values["make"] = Value{N: 100 << 10}
		case "go1.13", "go1.26":
		default:
			continue
		}
		m.InUse, m.Root = minor(m.Version) == "go1.26", "/usr/local/go"
		r.Toolchains = append(r.Toolchains, m)
	}
	r.Toolchains = append(r.Toolchains, Measured{Version: "go1.27.0", Root: "/root/sdk/go1.27.0", Missing: "it is for plan9/sparc64"})
	if err := r.compare(History()); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestText(t *testing.T) {
	for name, o := range map[string]text.Options{"wide": {Width: 100}, "narrow": {Width: 48}, "colour": {Width: 100, Colour: true}} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := example(t).WriteText(&got, o); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("got\n%s\nwant (-update writes it)\n%s", &got, want)
			}
		})
	}
}

// Without figures there is no table of names.
func TestTextOfNothing(t *testing.T) {
	r := &Report{GOOS: "linux", GOARCH: "bogus", Limits: describe(), Toolchains: []Measured{{Version: "go1.26.8", InUse: true, Missing: "unknown architecture"}}}
	var got bytes.Buffer
	if err := r.WriteText(&got, text.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if want := "What stays on the stack on linux/bogus, in bytes\n\ngo1.26.8: not measured: unknown architecture.\n"; got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

// Nothing gets lost in JSON.
func TestJSON(t *testing.T) {
	r := example(t)
	var first, second bytes.Buffer
	if err := r.WriteJSON(&first); err != nil {
		t.Fatal(err)
	}
	var again struct {
		Schema string
		Report
	}
	d := json.NewDecoder(bytes.NewReader(first.Bytes()))
	d.DisallowUnknownFields()
	if err := d.Decode(&again); err != nil {
		t.Fatal(err)
	}
	if err := again.WriteJSON(&second); err != nil || first.String() != second.String() {
		t.Errorf("%v, %s", err, &second)
	}
	if !strings.Contains(first.String(), `"label": "&[N]byte{}"`) {
		t.Error("signs are written in hexadecimal")
	}
}

func TestExact(t *testing.T) {
	for n, want := range map[int64]string{
		1: "1", 999: "999", 1000: "1,000", 1023: "1 KB - 1", 1024: "1 KB", 1025: "1,025", 2048: "2 KB", 65535: "64 KB - 1", 65536: "64 KB",
		10 << 20: "10 MB", 10<<20 - 1: "10 MB - 1", 1e9: "1e9", 250e6: "250e6", 3_000_000: "3e6", 0: "0", 1 << 30: "1 GB", 536805040: "536,805,040",
	} {
		if got := exact(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestSince(t *testing.T) {
	list := func(values ...int64) (known []Measured) {
		for i, n := range values {
			known = append(known, Measured{Version: []string{"go1.20.1", "go1.21.1", "go1.22.1", "go1.23.1"}[i], Values: map[string]Value{"k": {N: n}}})
		}
		return known
	}
	hole := list(1, 2, 2)
	hole[0].Values["k"] = Value{Missing: "?"}
	for _, tt := range []struct {
		name  string
		known []Measured
		of    string
		value int64
		since string
		other bool // differs from what is known
	}{
		{"changed once", list(1, 2, 2, 2), "go1.23.9", 2, "1.21", false},
		{"never changed", list(2, 2, 2, 2), "go1.23.9", 2, "<=1.20", false},
		{"changed back", list(2, 1, 2, 2), "go1.23.9", 2, "1.22", false},
		{"an older version", list(1, 2, 3, 3), "go1.21.0", 2, "1.21", false},
		{"an experiment", list(1, 2, 2, 2), "go1.23.9-X:x", 2, "1.21", false},
		{"before the first known", list(2, 2), "go1.19.1", 2, "", false},
		{"after the last known", list(2, 2), "go1.22.1", 2, "", false},
		{"not as it was", list(1, 2, 2, 2), "go1.23.9", 3, "", true},
		{"older ones unknown", hole, "go1.22.1", 2, "<=1.21", false},
	} {
		v := Value{N: tt.value}
		v.compare("k", tt.of, tt.known, true)
		if v.Since.short() != tt.since || (v.Known != nil) != tt.other {
			t.Errorf("%s: %q, known %+v", tt.name, v.Since.short(), v.Known)
		}
		v = Value{N: tt.value}
		if v.compare("k", tt.of, tt.known, false); v.Known != nil {
			t.Errorf("%s: on another system it should be %+v", tt.name, v.Known)
		}
	}
}
