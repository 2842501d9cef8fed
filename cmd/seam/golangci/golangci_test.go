package golangci

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/seamgo/seam/internal/testenv"
)

// Without cgo there is nothing to find.
func init() { os.Setenv("CGO_ENABLED", "1") }

func analyzers(t *testing.T, conf any) []*analysis.Analyzer {
	t.Helper()
	build, err := register.GetPlugin("seam")
	if err != nil {
		t.Fatal(err)
	}
	p, err := build(conf)
	if err != nil {
		t.Fatal(err)
	}
	if mode := p.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("the load mode is %s", mode)
	}
	list, err := p.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Findings stand where the source has them, though the driver loads what cgo has made of it.
func TestPlugin(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule}, "../internal/vet/testdata/shop")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal("the package can't be loaded: ", err)
	}
	graph, err := checker.Analyze(analyzers(t, nil), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Error(act.Err)
		}
		for _, d := range act.Diagnostics {
			at := act.Package.Fset.Position(d.Pos)
			found = append(found, filepath.Base(at.Filename)+":"+strings.Join(strings.Fields(d.Message), " "))
			if filepath.Base(at.Filename) != "shop.go" || at.Line != 12 && at.Line != 25 {
				t.Errorf("%s: %s", at, d.Message)
			}
		}
	}
	if len(found) != 3 {
		t.Errorf("found %q, want the two that aren't ignored, and that the second gives no reason", found)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	if list := analyzers(t, map[string]any{"rules": []string{"cstring-leak"}}); len(list) != 4 || list[0].Name != "memoryleak" {
		t.Errorf("one rule gives %v", list)
	}
	for _, c := range []struct {
		conf any
		want string
	}{
		{map[string]any{"rules": []string{"cstring-leek"}}, "did you mean cstring-leak"},
		{map[string]any{"rulez": []string{}}, "rulez"},
	} {
		if _, err := newPlugin(c.conf); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v gives the error %v, want %q", c.conf, err, c.want)
		}
	}
}
