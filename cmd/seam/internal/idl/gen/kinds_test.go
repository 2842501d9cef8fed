package gen

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/internal/testenv"
)

// The types that the tests of the run-time use are what the generator writes
// today: go generate ./thrift/internal/kinds.
func TestTypesOfTheRuntimesTestsAreClean(t *testing.T) {
	dir := filepath.Join(testenv.Repository(t), "thrift/internal/kinds")
	const path = "github.com/seamgo/seam/thrift/internal"
	var ownRules []string
	var ruleFuncs []*model.RuleFunc
	for _, text := range []string{"luhn(string) bool=" + path + "/kinds/ruled.Luhn", "share(int64, float64) float64=" + path + "/kinds/ruled.Share"} {
		f, err := model.ParseRuleFunc(text)
		if err != nil {
			t.Fatal(err)
		}
		ruleFuncs = append(ruleFuncs, f)
		ownRules = append(ownRules, fmt.Sprintf("--validate-func=%q", text))
	}
	for _, c := range []struct {
		source, out, prefix string
		opt                 Options
	}{
		{"kinds.thrift", "..", path, Options{MoreFlags: []string{"--negative-ids"}, Descriptors: true}},
		{"small.thrift", ".", path + "/kinds", Options{}},
		{"small.thrift", "inline", path + "/kinds/inline", Options{ErrorLayout: LayoutInline}},
		{"small.thrift", "goto", path + "/kinds/goto", Options{ErrorLayout: LayoutGoto}},
		{"small.thrift", "outlined", path + "/kinds/outlined", Options{ErrorLayout: LayoutOutlined}},
		{"small.thrift", "unknown", path + "/kinds/unknown", Options{Unknown: true}},
		{"small.thrift", "views", path + "/kinds/views", Options{Views: true, UTF8: true}},
		{"masked.thrift", ".", path + "/kinds", Options{FieldMask: true}},
		{"validated.thrift", ".", path + "/kinds", Options{Validate: true, Setters: true, SQL: true, MoreFlags: ownRules}},
	} {
		progs, errs := model.Load([]string{filepath.Join(dir, c.source)}, model.Options{KeepNegativeIDs: slices.Contains(c.opt.MoreFlags, "--negative-ids"), Validate: c.opt.Validate, RuleFuncs: ruleFuncs})
		if errs.Fatal() {
			t.Fatal(errs)
		}
		c.opt.Out, c.opt.PackagePrefix = filepath.Join(dir, c.out), c.prefix
		files, err := Generate(progs, c.opt)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", c.out, len(files), err)
		}
		for _, f := range files {
			got, err := os.ReadFile(f.Path)
			if err != nil {
				t.Error(err)
			} else if !bytes.Equal(got, f.Text) {
				t.Errorf("%s is not what is generated, from line %d: run go generate ./thrift/internal/kinds", f.Path, firstDifference(got, f.Text))
			}
		}
	}
}
