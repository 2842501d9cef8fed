// Package archtest holds the arrows of DESIGN.md: which room of the house may
// import which. What is not in its table is an arrow sideways or back, and fails.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/seamgo/seam"

// tool is where the rooms of the tool are, ~ in the table.
const tool = "cmd/seam/internal/"

// chores are rooms that know nothing of Seam: all rooms of the tool may use them.
var chores = strings.Fields("~chart ~compiler ~cycles ~filecache ~gotool ~growth ~htmlpage ~jsonfile ~machine ~nearest ~output ~quantity ~sarif ~stats ~terminal ~text ~textdiff ~textedit ~wordlines")

// arrows says for each room, a folder with what is below it, which rooms it may
// import. A room that is in none of the keys must be added.
var arrows = map[string]string{
	// The library. It requires nothing but Go, and no room of the tool.
	".":                  "",
	"include":            "",
	"internal/abi":       "",
	"internal/archtest":  "",
	"internal/bubble":    "",
	"internal/child":     "",
	"internal/ci":        "internal/testenv",
	"internal/crossing":  "",
	"internal/csys":      "",
	"internal/doctest":   "",
	"internal/figures":   "internal/results",
	"internal/release":   "internal/testenv",
	"internal/results":   "",
	"internal/testenv":   "",
	"internal/torture":   "coro include leaf mem offload",
	"internal/typecheck": "",
	"internal/unwind":    "internal/abi internal/csys",
	"internal/heap":      "internal/csys internal/unwind", // their headers
	"leaf":               "internal/abi internal/crossing internal/csys include",
	"mem":                "internal/bubble internal/crossing include",
	"coro":               "internal/abi internal/bubble internal/crossing internal/csys include leaf mem",
	"offload":            "internal/bubble internal/crossing include leaf mem",
	"ring":               "",
	"prof":               "internal/abi internal/crossing internal/heap internal/unwind",
	"thrift":             "",
	"weld":               "",
	"dl":                 "internal/abi internal/bubble internal/crossing",

	// The tool: a main of one line, the verbs, and what they call.
	"cmd/seam":          "~cli",
	"cmd/seam/weldtest": "",
	"~cli": "~bind ~cross ~doctor ~vet ~vet/confirm ~vet/measured ~vet/rule ~lab ~lab/compare ~lab/experiment ~lab/published ~lab/report ~lab/result ~layout ~idl ~memory ~prof ~stack " +
		"~weld/callgraph ~weld/calltrace ~weld/cgofile ~weld/explain ~weld/gcstress ~weld/job ~weld/leaks ~weld/plan ~weld/recording ~weld/rewrite ~weld/runtime ~weld/toolexec ~weld/trial " +
		"coro include leaf mem offload ring thrift weld",

	// Chores may use each other along these arrows only.
	"~asm": "", "~cycles": "", "~filecache": "", "~gotool": "", "~growth": "", "~htmlpage": "", "~jsonfile": "", "~nearest": "", "~output": "", "~quantity": "", "~sarif": "", "~stats": "", "~textdiff": "", "~textedit": "", "~wordlines": "~nearest",
	"~chart": "~htmlpage ~quantity", "~compiler": "~gotool", "~machine": "~quantity", "~terminal": "~text", "~text": "~quantity",

	// The lab: a result knows nothing of how it was measured or is shown, and an
	// experiment nothing of the others.
	"~lab/result":       "",
	"~lab/report":       "~lab/result",
	"~lab/compare":      "~lab/result",
	"~lab/reference":    "~lab/result",
	"~lab/published":    "~lab/reference ~lab/result",
	"~lab":              "~lab/result",
	"~lab/labtest":      "~lab ~lab/result",
	"~lab/progcache":    "~lab",
	"~lab/subprocess":   "~lab",
	"~lab/experiment":   "~lab",
	"~lab/experiment/*": "~lab ~lab/progcache ~lab/reference ~lab/result ~lab/subprocess ~idl ~weld/runtime . coro dl include leaf mem offload prof ring thrift",

	"~bind":   "",
	"~memory": ". ~prof ~prof/symbols ~stack/symbols", // names functions, draws stacks
	"~cross":  "",
	"~doctor": "",
	"~layout": "",

	// What profiled programs are built with is the library's own source.
	"~prof":         ". ~prof/symbols",
	"~prof/symbols": "",

	// Rules know what they share, and not each other; the driver knows them all.
	"~vet":              "~vet/* ~vet/crossing ~vet/csource ~vet/layout ~vet/load ~vet/measured ~vet/ownership ~vet/rule ~vet/source ~vet/values",
	"~vet/*":            "~vet/contracts ~vet/crossing ~vet/csource ~vet/flow ~vet/measured ~vet/ownership ~vet/rule ~vet/source ~vet/values ~weld/callgraph",
	"~vet/layout":       "~layout ~vet/rule ~vet/source ~vet/values",
	"~vet/csource":      "~weld/callgraph",
	"~vet/source":       "~vet/csource",
	"~vet/flow":         "~vet/source",
	"~vet/values":       "~vet/csource ~vet/flow ~vet/source",
	"~vet/crossing":     "~vet/csource ~vet/flow ~vet/source ~weld/callgraph",
	"~vet/contracts":    "",
	"~vet/ownership":    "~vet/contracts ~vet/csource ~vet/flow ~vet/source",
	"~vet/confirm":      "~vet ~weld/gcstress ~weld/leaks ~weld/recording",
	"~vet/measured":     "",
	"~vet/rule":         "~vet/crossing ~vet/measured ~vet/ownership ~vet/source ~vet/values",
	"~vet/load":         "~vet/csource ~vet/source",
	"~vet/vettest":      "~vet ~vet/measured ~vet/rule internal/testenv",
	"cmd/seam/seam-vet": "~vet",
	"cmd/seam/golangci": "~vet internal/testenv",

	"~idl/syntax": "",
	"~idl/model":  "~idl/syntax",
	"~idl/gen":    "~idl/model ~idl/syntax thrift",
	"~idl/compat": "~idl/model ~idl/syntax",

	"~stack/event":   "",
	"~stack/symbols": "",
	"~stack/overlay": "",
	"~stack/frames":  "~stack/report ~stack/symbols",
	"~stack/limits":  "",
	"~stack/report":  "~stack/event",
	"~stack/view":    "~stack/report",
	"~stack/launch":  "~stack/event ~stack/frames ~stack/overlay ~stack/report ~stack/symbols",

	// Welding: what rewrites cgo's output, what it puts in, and what comes of it.
	"~weld/cgofile":                 "",
	"~weld/toolexec":                "~weld/cgofile",
	"~weld/runtime":                 ". internal/csys ~weld/cgofile ~weld/toolexec",
	"~weld/recording":               "",
	"~weld/recording/recordingtest": "~weld/recording internal/testenv",
	"~weld/callgraph":               "~weld/cgofile",
	"~weld/calltrace":               "~weld/cgofile ~weld/recording ~weld/runtime ~weld/toolexec",
	"~weld/gcstress":                "~weld/cgofile ~weld/recording ~weld/runtime ~weld/toolexec",
	"~weld/leaks":                   "~weld/cgofile ~weld/recording ~weld/runtime ~weld/toolexec",
	"~weld/plan":                    "~weld/callgraph ~weld/calltrace ~weld/cgofile ~weld/runtime",
	"~weld/rewrite":                 "~weld/cgofile ~weld/plan ~weld/runtime ~weld/toolexec",
	"~weld/job":                     "~weld/calltrace ~weld/cgofile ~weld/gcstress ~weld/leaks ~weld/plan ~weld/recording ~weld/rewrite ~weld/runtime ~weld/toolexec",
	"~weld/trial":                   "",
	"~weld/explain":                 "~weld/calltrace ~weld/cgofile ~weld/plan ~weld/rewrite ~lab/result",
}

// full is a room's folder.
func full(room string) string { return strings.Replace(room, "~", tool, 1) }

// roomOf is the room that a folder belongs to: the longest that it lies in.
func roomOf(folder string) (room string, ok bool) {
	longest := -1 // "." and cmd/seam are only themselves
	for r := range arrows {
		f := full(r)
		star := strings.HasSuffix(f, "/*")
		f = strings.TrimSuffix(f, "/*")
		in := folder == f && !star || strings.HasPrefix(folder, f+"/") && f != "." && f != "cmd/seam"
		if in && (len(f) > longest || len(f) == longest && star) {
			room, ok, longest = r, true, len(f)
		}
	}
	return room, ok
}

func TestArrows(t *testing.T) {
	for folder, imports := range packages(t, os.DirFS("../..")) {
		room, ok := roomOf(folder)
		if !ok {
			t.Errorf("%s is in no room: add it to the table, and to DESIGN.md", folder)
			continue
		}
		for _, to := range imports {
			if !may(room, folder, to) {
				t.Errorf("%s (room %s) must not import %s", folder, room, to)
			}
		}
	}
}

// may reports whether a folder of a room may import another folder.
func may(room, from, to string) bool {
	target, ok := roomOf(to)
	if !ok {
		return false
	}
	if target == room && !strings.HasSuffix(room, "/*") {
		return true
	}
	if child := full(strings.TrimSuffix(room, "*")); strings.HasSuffix(room, "/*") && target == room {
		// Each folder below is a room of its own.
		first := func(p string) string { name, _, _ := strings.Cut(strings.TrimPrefix(p, child), "/"); return name }
		return first(from) == first(to)
	}
	allowed := strings.Fields(arrows[room])
	if strings.HasPrefix(room, "~") && !slices.Contains(chores, room) {
		allowed = append(allowed, chores...)
	}
	if room == "~lab/experiment" {
		allowed = append(allowed, "~lab/experiment/*") // the list of them
	}
	return slices.ContainsFunc(allowed, func(a string) bool {
		// ~idl is all rooms below it, ~lab only itself: it has files of its own.
		_, itself := arrows[a]
		return target == a || !itself && strings.HasPrefix(target, a+"/")
	})
}

// packages are the folders with Go files and what these import of ours, without
// tests, examples, what make builds and what is measured against.
func packages(t *testing.T, tree fs.FS) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); base == "testdata" || name == "bin" || name == "bench" || name == "examples" || name != "." && strings.HasPrefix(base, ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		found[dir] = append(found[dir], []string{}...)
		for _, i := range file.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if p == module {
				p = module + "/."
			}
			to, ours := strings.CutPrefix(p, module+"/")
			// A program that is built elsewhere imports what is generated there.
			if _, err := fs.Stat(tree, to); ours && err == nil && !slices.Contains(found[dir], to) {
				found[dir] = append(found[dir], to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 50 {
		t.Fatalf("only %d packages were found", len(found))
	}
	return found
}

// The table itself can be wrong in what it forbids.
func TestForbidden(t *testing.T) {
	for _, c := range [][2]string{
		{"leaf", "cmd/seam/internal/text"},
		{"leaf", "coro"},
		{"mem", "leaf"},
		{"thrift", "mem"},
		{"cmd/seam/internal/text", "cmd/seam/internal/chart"},
		{"cmd/seam/internal/lab/result", "cmd/seam/internal/lab"},
		{"cmd/seam/internal/lab/experiment/call", "cmd/seam/internal/lab/experiment/grid"},
		{"cmd/seam/internal/lab/experiment/call", "cmd/seam/internal/lab/experiment"},
		{"cmd/seam/internal/lab/experiment/call", "cmd/seam/internal/lab/report"},
		{"cmd/seam/internal/weld/cgofile", "cmd/seam/internal/weld/rewrite"},
		{"cmd/seam/internal/weld/plan", "cmd/seam/internal/weld/job"},
		{"cmd/seam/internal/stack/event", "cmd/seam/internal/stack/report"},
		{"cmd/seam/internal/layout", "cmd/seam/internal/cli"},
	} {
		room, ok := roomOf(c[0])
		if !ok || may(room, c[0], c[1]) {
			t.Errorf("%s (room %q) may import %s", c[0], room, c[1])
		}
	}
}

// Every room of the table is there.
func TestRooms(t *testing.T) {
	for r := range arrows {
		f := strings.TrimSuffix(full(r), "/*")
		if _, err := os.Stat("../../" + f); err != nil {
			t.Errorf("room %s: %v", r, err)
		}
	}
	for room, allowed := range arrows {
		for _, a := range strings.Fields(allowed) {
			if _, err := os.Stat("../../" + strings.TrimSuffix(full(a), "/*")); err != nil {
				t.Errorf("room %s may import %s: %v", room, a, err)
			}
		}
	}
}
