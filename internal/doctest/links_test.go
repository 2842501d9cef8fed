package doctest

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var tree = os.DirFS("../..")

// elsewhere are paths in the Go repository and in programs that the documents imagine.
var elsewhere = map[string]bool{"cmd/server": true, "internal/gen": true, "internal/runtime/cgobench": true}

// roots are what a path in a document may be relative to, besides the document's folder.
var roots = []string{".", "cmd/seam", "cmd/seam/internal"}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	quoted  = regexp.MustCompile("`([^`\n]+)`")
	pathIn  = regexp.MustCompile(`(?:^|[\s"'=])((?:\./)?[a-z][\w.-]*(?:/[\w.*{},-]+)+/?)`)
	docPath = regexp.MustCompile(`\b(?:docs/[\w/-]+|DESIGN|CONTRIBUTING|README)\.md\b`)
	pattern = regexp.MustCompile(`^NAME$|GOARCH|[*{]`)
)

func TestLinksResolve(t *testing.T) {
	for name, text := range read(t, ".md") {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			at := name
			if target != "" {
				at = path.Join(path.Dir(name), target)
			}
			if !exists(at) {
				t.Errorf("%s: the link %s leads nowhere", name, m[1])
				continue
			}
			if anchor != "" && !anchors(t, at)[anchor] {
				t.Errorf("%s: %s has no heading #%s", name, at, anchor)
			}
		}
	}
}

// Paths are those of the repository, or of the tool's rooms in cmd/seam/internal.
func TestPathsExist(t *testing.T) {
	for name, text := range read(t, ".md") {
		var spans []string
		spans = append(spans, fence.FindAllString(text, -1)...)
		for _, m := range quoted.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			spans = append(spans, m[1])
		}
		for _, span := range spans {
			for _, m := range pathIn.FindAllStringSubmatch(span, -1) {
				p := concrete(m[1])
				if first, _, nested := strings.Cut(p, "/"); !nested || first == "bin" || !below(first, roots) || elsewhere[p] {
					continue
				}
				if !below(p, append(roots, path.Dir(name))) {
					t.Errorf("%s: there is no %s", name, m[1])
				}
			}
		}
	}
}

func TestCommentsNameDocumentsThatExist(t *testing.T) {
	for name, text := range read(t, ".go", ".s", ".c", ".h", "Makefile") {
		for _, doc := range docPath.FindAllString(text, -1) {
			if !exists(doc) && !exists(path.Join(path.Dir(name), doc)) {
				t.Errorf("%s: there is no %s", name, doc)
			}
		}
	}
}

// The rooms that DESIGN.md draws are those that there are.
func TestHouseIsDrawnAsItIs(t *testing.T) {
	drawn := map[string]bool{}
	for _, m := range regexp.MustCompile(`([a-z]+)/`).FindAllStringSubmatch(fence.FindString(read(t, "DESIGN.md")["DESIGN.md"]), -1) {
		drawn[m[1]] = true
	}
	rooms := map[string]bool{}
	for _, floor := range []string{".", "cmd", "cmd/seam", "cmd/seam/internal", "cmd/seam/internal/lab",
		"cmd/seam/internal/weld", "cmd/seam/internal/idl", "cmd/seam/internal/memory", "cmd/seam/internal/prof", "cmd/seam/internal/stack"} {
		entries, err := fs.ReadDir(tree, floor)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			rooms[e.Name()] = true
			if e.IsDir() && strings.Contains(floor, "internal") && e.Name() != "testdata" && !strings.HasSuffix(e.Name(), "test") && !drawn[e.Name()] {
				t.Errorf("DESIGN.md doesn't draw %s/%s", floor, e.Name())
			}
		}
	}
	for name := range drawn {
		if !rooms[name] && !below(name, []string{"include", "internal", "docs", "thrift"}) {
			t.Errorf("DESIGN.md draws a room %s/ that there isn't", name)
		}
	}
}

// concrete cuts p where it begins to stand for something else.
func concrete(p string) string {
	var parts []string
	for _, part := range strings.Split(path.Clean(p), "/") {
		if part == "..." || pattern.MatchString(part) {
			break
		}
		parts = append(parts, part)
	}
	return strings.TrimRight(strings.Join(parts, "/"), ".,")
}

// below reports whether one of the folders has p.
func below(p string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return exists(path.Join(folder, p)) })
}

func exists(p string) bool {
	_, err := fs.Stat(tree, strings.TrimSuffix(p, "/"))
	return err == nil
}

// anchors are the names under which GitHub can be linked to name's headings.
func anchors(t *testing.T, name string) map[string]bool {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
		if id := named.FindStringSubmatch(m[1]); id != nil { // a translation's, by the original's name
			found[id[1]] = true
		}
		found[slug(m[1])] = true
	}
	return found
}

var named = regexp.MustCompile(`<a id="([^"]+)"></a>`)

var punctuation = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

func slug(heading string) string {
	return strings.ReplaceAll(punctuation.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// read returns the files of the repository whose names end in one of the endings.
func read(t *testing.T, endings ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name == "bin" || name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") { // bin: what make builds
				return fs.SkipDir
			}
			return nil
		}
		for _, ending := range endings {
			if strings.HasSuffix(name, ending) {
				text, err := fs.ReadFile(tree, name)
				if err != nil {
					return err
				}
				files[name] = string(text)
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no files %v", endings)
	}
	return files
}
