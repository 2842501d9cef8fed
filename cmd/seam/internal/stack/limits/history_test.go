package limits

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"runtime"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write history.json anew, for the toolchains that are installed")

// The history has the platforms and versions that it promises, and no holes.
func TestHistory(t *testing.T) {
	if *update {
		writeHistory(t)
	}
	list := History()
	if len(list) != 2 || list[0].GOARCH != "amd64" || list[1].GOARCH != "386" {
		t.Fatalf("%d platforms, want amd64 and 386", len(list))
	}
	for _, r := range list {
		var have []string
		for _, m := range r.Toolchains {
			have = append(have, minor(m.Version))
			for _, l := range all {
				v, ok := m.Values[l.key]
				if !ok || v.Missing != "" && !(l.key == "overflow_stack" && minor(m.Version) == "go1.13") {
					t.Errorf("%s, %s has no %s: %s", r.GOARCH, m.Version, l.key, v.Missing)
				}
				if v.Since != nil || v.Known != nil {
					t.Errorf("%s, %s: %s has a history itself", r.GOARCH, m.Version, l.key)
				}
			}
		}
		want := []string{"go1.13", "go1.14", "go1.15", "go1.16", "go1.17", "go1.18", "go1.19", "go1.20",
			"go1.21", "go1.22", "go1.23", "go1.24", "go1.25", "go1.26", "go1.27"}
		if !slices.Equal(have, want) {
			t.Errorf("%s has %v, want %v", r.GOARCH, have, want)
		}
	}
}

// What was published for Go 1.13.8 is in the history too.
func TestHistoryAgreesWithPublished(t *testing.T) {
	old := History()[0].Toolchains[0]
	for key, want := range map[string]int64{"variable": 10 << 20, "make": 64<<10 - 1, "start": 2 << 10, "max": 1e9} {
		if got := old.Values[key].N; got != want {
			t.Errorf("%s with %s: %d, want %d", key, old.Version, got, want)
		}
	}
}

// The compilers that are installed say today what they said when the history was made.
func TestCompilersAgreeWithHistory(t *testing.T) {
	o := here(t)
	used, err := inUse(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	used.goos, used.goarch = "linux", "amd64"
	list, err := toolchains(t.Context(), o, used)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, tc := range list {
		if tc.missing != "" {
			t.Logf("%s: %s", tc.version, tc.missing)
			continue
		}
		tc.work = t.TempDir()
		m := Measured{Version: tc.version, Values: map[string]Value{}}
		if err := tc.askCompiler(t.Context(), m.Values); err != nil {
			t.Errorf("%s: %v", tc.version, err)
			continue
		}
		compared += agree(t, m, "linux", "amd64")
	}
	if compared == 0 {
		t.Error("nothing was compared: the Go that runs this test is not in the history (-update writes it)")
	}
}

// agree counts the values that are as in the history.
func agree(t *testing.T, m Measured, goos, goarch string) (compared int) {
	t.Helper()
	r := Report{GOOS: goos, GOARCH: goarch, Toolchains: []Measured{m}}
	if err := r.compare(History()); err != nil {
		t.Fatal(err)
	}
	for _, key := range slices.Sorted(maps.Keys(m.Values)) {
		v := m.Values[key]
		if v.Known != nil {
			t.Errorf("%s, %s: %+v, and %+v in the history", m.Version, key, v, *v.Known)
		}
		if v.Since != nil {
			compared++
		}
	}
	return compared
}

// writeHistory measures the toolchains that are installed, the last release of each
// version, and keeps what the history has of others.
func writeHistory(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Fatal("the history is of linux/amd64 and linux/386; write it on such a machine")
	}
	list := History()
	for i := range list {
		t.Setenv("GOARCH", list[i].GOARCH)
		r, err := Run(t.Context(), Options{Go: "go", Dir: "."})
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]Measured{}
		for _, m := range append(list[i].Toolchains, r.Toolchains...) {
			if m.Missing != "" {
				t.Logf("%s: %s", m.Version, m.Missing)
				continue
			}
			for key, v := range m.Values {
				v.Since, v.Known = nil, nil
				m.Values[key] = v
			}
			m.Root, m.InUse, m.Named = "", false, false
			of[minor(m.Version)] = m // older releases come first
		}
		r.Toolchains, r.Limits = nil, nil
		for _, m := range of {
			r.Toolchains = append(r.Toolchains, m)
		}
		slices.SortFunc(r.Toolchains, func(a, b Measured) int { return compareVersions(a.Version, b.Version) })
		list[i] = *r
	}
	text, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("history.json", append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
	history = text
}
