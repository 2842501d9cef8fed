package explain

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// noC is the error of a package that calls no C itself.
type noC struct {
	pkg gotool.Package
	why string
}

func (e *noC) Error() string {
	return fmt.Sprintf("package %s calls no C: %s", e.pkg.ImportPath, e.why)
}

var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// withC are the packages that call C among some and what they depend on, without runtime/cgo,
// which all programs with C have.
func withC(ctx context.Context, o Options, patterns ...string) ([]gotool.Package, error) {
	list, err := gotool.List(ctx, o.Go, o.Dir, append(slices.Clone(o.Flags), "-deps"), patterns...)
	return slices.DeleteFunc(list, func(p gotool.Package) bool { return !p.CallsC() || p.ImportPath == "runtime/cgo" }), err
}

// byEnd finds a package by the end of its path, which is what tables show of it:
// "go-sqlite3" is github.com/mattn/go-sqlite3 where the packages here use that, and "h3-go"
// github.com/uber/h3-go/v4.
func byEnd(ctx context.Context, o Options, end string) (string, error) {
	o.Flags = append(slices.Clone(o.Flags), "-test") // a trace of tests has what only tests use
	list, err := withC(ctx, o, "./...")
	if len(list) == 0 && err != nil {
		return "", err
	}
	var found []string
	for _, p := range list {
		if strings.HasSuffix(p.ImportPath, "/"+end) || strings.HasSuffix(majorVersion.ReplaceAllString(p.ImportPath, ""), "/"+end) {
			found = append(found, p.ImportPath)
		}
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s may be %s: name one of them", end, strings.Join(found, " or "))
}

// dependencies lists the packages that call C for a package that doesn't itself.
func dependencies(ctx context.Context, o Options, none *noC) (*Doc, error) {
	list, err := withC(ctx, o, none.pkg.ImportPath)
	if err != nil || len(list) == 0 {
		return nil, none
	}
	return &Doc{
		Kicker: none.pkg.ImportPath, Title: "Who calls C here",
		Lead:     fmt.Sprintf("The package calls no C itself. Of what it depends on, %s: only these can be made faster by seam weld, those of the standard library excepted.", quantity.Plural(len(list), "package does", "packages do")),
		Sections: []Section{dependencySection(list)},
	}, nil
}

// addDependencies adds to an overview the packages with C that the package depends on.
func (k *pkg) addDependencies(ctx context.Context, d *Doc) error {
	list, err := withC(ctx, k.Options, k.ImportPath)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(p gotool.Package) bool { return p.ImportPath == k.ImportPath })
	if len(list) > 0 {
		d.Sections = append(d.Sections, dependencySection(list))
	}
	return nil
}

// dependencySection lists packages that call C, at least one.
func dependencySection(list []gotool.Package) Section {
	t := &Table{
		Head: []string{"package", "of", "files with C", "in C or C++"}, Right: []bool{false, false, true, true},
		Code: []bool{true, false, false, false},
	}
	for _, p := range list {
		of := "the standard library"
		switch {
		case p.Module != nil && p.Module.Version != "":
			of = p.Module.Path + " " + p.Module.Version
		case p.Module != nil:
			of = p.Module.Path
		}
		t.Rows = append(t.Rows, []string{p.ImportPath, quantity.Printable(of), fmt.Sprint(len(p.CgoFiles) + len(p.SwigFiles) + len(p.SwigCXXFiles)),
			fmt.Sprint(len(p.CFiles) + len(p.CXXFiles))})
	}
	s := Section{Title: "What it depends on"}
	s.add(Block{Table: t}, note("What one of them calls: seam explain "+list[len(list)-1].ImportPath))
	return s
}
