package main

import (
	"reflect"
	"strings"
	"testing"
)

const someRun = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
not json, printed by C
{"Action":"output","Package":"p","Test":"TestA","Output":"said by A\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p","Test":"TestC/sub"}
{"Action":"run","Package":"p","Test":"TestD"}
{"Action":"fail","Package":"p"}
{broken`

func TestReadOutcomes(t *testing.T) {
	got, printed, err := readOutcomes(strings.NewReader(someRun))
	if err != nil {
		t.Fatal(err)
	}
	want := outcomes{
		{"p", "TestA"}: "pass", {"p", "TestB"}: "skip", {"p", "TestC/sub"}: "fail", {"p", ""}: "fail",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if want := "not json, printed by C\nsaid by A\n"; printed != want {
		t.Errorf("printed %q, want %q", printed, want)
	}
	if pass, fail, skip := got.count(); pass != 1 || fail != 1 || skip != 1 {
		t.Errorf("%d passed, %d failed, %d skipped, want 1 of each", pass, fail, skip)
	}
}

func TestDifferences(t *testing.T) {
	a := outcomes{{"p", "TestA"}: "pass", {"p", "TestB"}: "pass", {"p", "TestGone"}: "pass", {"p", ""}: "pass", {"q", ""}: "pass"}
	b := outcomes{{"p", "TestA"}: "pass", {"p", "TestB"}: "fail", {"p", "TestNew"}: "skip", {"p", ""}: "fail", {"q", ""}: "fail"}
	want := []test{{"p", "TestB"}, {"p", "TestGone"}, {"p", "TestNew"}, {"q", ""}}
	if got := differences(a, b); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := differences(a, a); got != nil {
		t.Errorf("a run differs from itself in %v", got)
	}
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		plain, weld string
		alike       bool
	}{
		{"pass pass pass", "fail pass pass", true},                      // once, and never again
		{"pass pass pass fail pass", "fail pass pass pass pass", true},  // by chance on both sides
		{"pass pass pass fail pass", "fail fail fail fail fail", false}, // always, where it is by chance as it is
		{"pass pass pass", "fail pass fail", false},
		{"pass pass pass", "missing missing missing", false},
	} {
		v := verdict{plain: strings.Fields(c.plain), weld: strings.Fields(c.weld)}
		if v.alike() != c.alike {
			t.Errorf("%s as it is, %s welded: alike is %t", c.plain, c.weld, !c.alike)
		}
	}
}

func FuzzReadOutcomes(f *testing.F) {
	f.Add(someRun)
	f.Fuzz(func(t *testing.T, s string) {
		found, _, err := readOutcomes(strings.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		if d := differences(found, found); d != nil {
			t.Errorf("a run differs from itself in %v", d)
		}
	})
}

func TestChoose(t *testing.T) {
	got, err := choose([]string{"sqlite@v1.14.53", "example.com/m/v2@v2.1.0", "example.com/m//sub/...@v1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	if s := got[0]; s.module != "github.com/mattn/go-sqlite3" || s.version != "v1.14.53" || s.packages != "." {
		t.Errorf("sqlite is %+v", s)
	}
	if s := got[1]; s.module != "example.com/m/v2" || s.version != "v2.1.0" || s.packages != "./..." || s.name != "example.com_m_v2" {
		t.Errorf("a path is %+v", s)
	}
	if s := got[2]; s.module != "example.com/m" || s.packages != "./sub/..." {
		t.Errorf("a folder is %+v", s)
	}
	for _, bad := range []string{"sqlite@", "unknown", "example.com/m"} {
		if _, err := choose([]string{bad}); err == nil {
			t.Errorf("%s is no error", bad)
		}
	}
}
