package published

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// declared are the package-level names of a folder's Go files that are declared as vars or
// constants, and all that they select from package reference.
func declared(t *testing.T, dir string) (names, selected map[string]bool) {
	t.Helper()
	names, selected = map[string]bool{}, map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && (g.Tok == token.VAR || g.Tok == token.CONST) {
				for _, spec := range g.Specs {
					for _, id := range spec.(*ast.ValueSpec).Names {
						names[id.Name] = true
					}
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "reference" {
					selected[s.Sel.Name] = true
				}
			}
			return true
		})
	}
	return names, selected
}

// A published figure that stands beside nothing is a fault.
func TestEveryFigureIsClaimed(t *testing.T) {
	figures, _ := declared(t, filepath.Join("..", "reference"))
	_, used := declared(t, ".")
	// The sources are no figures, and the numbers of calls are those of one row.
	for _, other := range []string{"CgoCost", "Coroutines", "ErrorPaths", "StackBuffers", "MixedCalls", "GridCalls"} {
		if !figures[other] {
			t.Errorf("reference.%s is gone", other)
		}
		delete(figures, other)
	}
	if len(figures) < 30 {
		t.Fatalf("only %d figures: %v", len(figures), figures)
	}
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		if !used[name] {
			t.Errorf("reference.%s stands beside nothing: claims.go has to use it", name)
		}
	}
}

func run(series ...result.Series) *result.Run {
	return &result.Run{Experiments: []result.Experiment{{Name: "call", Series: series}}}
}

func TestVerdicts(t *testing.T) {
	of := func(median, lo, hi float64) *result.Run {
		return run(result.Series{Name: "Call/via=cgo", Unit: "ns/op", Median: median, Lo: lo, Hi: hi,
			Samples: []result.Sample{{Round: 0}, {Round: 1}, {Round: 2}}})
	}
	one := of(60, 60, 60)
	one.Experiments[0].Series[0].Samples = one.Experiments[0].Series[0].Samples[:1]
	const said = "one C call through cgo" // 55.9 ns
	for _, c := range []struct {
		run        *result.Run
		here, want string
	}{
		{run(), "–", NotMeasured},
		{of(60, 58, 62), "60.0 ns (58.0–62.0 ns)", Holds},
		{of(26, 25, 27), "26.0 ns (25.0–27.0 ns)", NoLonger},
		{of(40, 20, 80), "40.0 ns (20.0–80.0 ns)", Undecided},
		{of(60, 60, 60), "60.0 ns", Holds},
		{one, "60.0 ns", Undecided + ": too few processes"},
	} {
		i := slices.IndexFunc(Claims, func(x Claim) bool { return x.Said == said })
		if r := Rows(c.run)[i]; r.Here != c.here || r.Verdict != c.want {
			t.Errorf("%q %q, want %q %q", r.Here, r.Verdict, c.here, c.want)
		}
	}
	for _, r := range Rows(run(result.Series{Name: "Call/via=go", Unit: "ns/op", Median: 2, Lo: 1.9, Hi: 2.1})) {
		if r.Said == "one call of an empty Go function" && !strings.HasPrefix(r.Verdict, NotComparable+"that call was inlined") {
			t.Errorf("%+v", r)
		}
	}
	var b strings.Builder
	if err := Write(&b, of(60, 58, 62), text.Options{Width: 100}); err != nil || !strings.Contains(b.String(), "holds today") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

func TestMoreInPercent(t *testing.T) {
	pair := func(name string, v float64) result.Series {
		s := result.Series{Name: name, Unit: "ns/op", Median: v, Lo: v, Hi: v}
		for round := range 5 {
			s.Samples = append(s.Samples, result.Sample{Round: round, N: 1, Value: v}, result.Sample{Round: round, N: 1, Value: v})
		}
		return s
	}
	e := &result.Experiment{Series: []result.Series{
		pair("ErrorPath/layout=bare/types=64", 100), pair("ErrorPath/layout=inline/types=64", 110),
		pair("ErrorPath/layout=bare/types=1", 100), pair("ErrorPath/layout=inline/types=1", 90),
	}}
	if f, ok := wrapped(e); !ok || f.value < 9.99 || f.value > 10.01 || f.lo >= f.value || f.hi <= f.value {
		t.Errorf("%+v %v", f, ok)
	}
	less := &result.Experiment{Series: []result.Series{pair("whole", 100), pair("without", 90)}}
	if f, ok := part("whole", "without", "ns/op")(less); !ok || f.value < 9.99 || f.value > 10.01 || f.lo >= f.hi {
		t.Errorf("%+v %v", f, ok)
	}
}

// Series that no experiment has would never be found.
func TestSeriesHaveNames(t *testing.T) {
	for _, c := range Claims {
		if c.Said == "" || c.Source == nil || c.here == nil || c.lo > c.Value || c.hi < c.Value {
			t.Errorf("%+v", c)
		}
	}
	if got := strings.Join(Experiments(), " "); got != "call grid switch spawn errorpath buffers payload cacheline blocking events" {
		t.Errorf("%s", got)
	}
	if _, err := os.Stat(filepath.Join("..", "reference")); err != nil {
		t.Fatal(err)
	}
}
