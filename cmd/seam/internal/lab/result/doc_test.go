package result

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/testenv"
)

// The documentation of the schema has a section for each type, with a row for
// each field, in order.
func TestEveryFieldIsDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testenv.Repository(t), "docs/lab-json.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\|")
	documented := map[string][]string{}
	for _, section := range strings.Split("\n"+string(text), "\n## ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		for _, m := range row.FindAllStringSubmatch(body, -1) {
			documented[name] = append(documented[name], m[1])
		}
	}
	want := map[string][]string{}
	tags(reflect.TypeFor[Run](), want)
	want["Run"] = append([]string{"schema"}, want["Run"]...) // jsonfile writes it
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !slices.Equal(documented[name], want[name]) {
			t.Errorf("docs/lab-json.md, section %s:\n has %v\nwant %v", name, documented[name], want[name])
		}
	}
	for name := range documented {
		if want[name] == nil {
			t.Errorf("docs/lab-json.md: section %s is of no type", name)
		}
	}
	if !strings.Contains(string(text), "`"+Schema+"`") {
		t.Errorf("docs/lab-json.md does not name the schema %s", Schema)
	}
}

// tags collects the JSON names of a struct and of all structs that it holds.
func tags(typ reflect.Type, into map[string][]string) {
	switch typ.Kind() {
	case reflect.Slice, reflect.Pointer:
		tags(typ.Elem(), into)
	case reflect.Struct:
		if typ == reflect.TypeFor[time.Time]() || into[typ.Name()] != nil {
			return
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			into[typ.Name()] = append(into[typ.Name()], name)
			tags(f.Type, into)
		}
	}
}
