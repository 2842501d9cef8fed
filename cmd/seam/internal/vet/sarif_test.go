package vet_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // has the schema, in the public domain
	"github.com/xeipuuv/gojsonschema"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
)

// TestSARIFSchema holds reports against the schema of SARIF 2.1.0.
func TestSARIFSchema(t *testing.T) {
	t.Parallel()
	schema, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(sarifSchema(t)))
	if err != nil {
		t.Fatal(err)
	}
	validate := func(report string) []gojsonschema.ResultError {
		t.Helper()
		result, err := schema.Validate(gojsonschema.NewStringLoader(report))
		if err != nil {
			t.Fatal(err)
		}
		return result.Errors()
	}

	found := *shop(t)
	found.Problems = []string{"what is not known"}
	found.Findings = append([]vet.Finding(nil), found.Findings...)
	found.Findings[0].File = filepath.Join(t.TempDir(), "a folder of 100 %", "shop.go")
	for name, r := range map[string]*vet.Report{"findings": &found, "nothing": {}} {
		var b bytes.Buffer
		if err := r.WriteSARIF(&b); err != nil {
			t.Fatal(err)
		}
		for _, e := range validate(b.String()) {
			t.Errorf("%s: %s", name, e)
		}
		if name == "nothing" {
			continue
		}
		// What the schema doesn't allow is refused, so it is the schema that was asked.
		for _, change := range [][2]string{{`"level": "error"`, `"level": "fatal"`}, {`"ruleId"`, `"rule"`}, {`"startLine": 12`, `"startLine": 0`}} {
			broken := strings.Replace(b.String(), change[0], change[1], 1)
			if broken == b.String() {
				t.Errorf("no %s in the report", change[0])
			} else if len(validate(broken)) == 0 {
				t.Errorf("the schema allows %s", change[1])
			}
		}
	}
}

// sarifSchema is the schema, which a module of others has as a constant.
func sarifSchema(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(out)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil && len(s) > len(text) {
				text = s
			}
		}
		return true
	})
	if !strings.Contains(text, `"enum": [ "2.1.0" ]`) {
		t.Fatalf("%s has no schema of SARIF 2.1.0", file.Name)
	}
	return text
}
