package errorpath

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/gen"
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
	"github.com/seamgo/seam/thrift"
)

// The program is built as a part of a module that has the name of ours and
// holds package thrift: so nothing has to be downloaded.
const (
	decodersDir = "decoders" // in it
	programDir  = "program"
)

//go:embed program/program.go
var programFiles embed.FS

// typeName is the Go name of a struct type.
func typeName(i int) string { return fmt.Sprintf("T%03d", i) }

// idlFile is the one file of the IDL. The functions of its lists and maps, which
// its types share, have names that begin with its own.
const idlFile = "shared"

// idl is the text of that many struct types: each is a struct of nested lists and maps,
// with numbers and names of fields of its own and some more fields. None holds a string,
// so that decoding into an object allocates little: the lists in maps.
func idl(types int) string {
	kinds := []string{"i32", "i64", "bool", "double", "binary", "i16", "byte"}
	var b strings.Builder
	fmt.Fprintf(&b, "namespace go %s\n", decodersDir)
	for i := range types {
		id, step := 1+i%5, 1+i%3
		field := func(kind, name string) {
			fmt.Fprintf(&b, "\t%d: %s %s_%d\n", id, kind, name, i)
			id += step
		}
		fmt.Fprintf(&b, "\nstruct %s {\n", typeName(i))
		field("list<list<i64>>", "data1")
		field("map<i64, list<byte>>", "data2")
		field("list<map<i64, byte>>", "data3")
		for k := range 4 + i%5 {
			field(kinds[(i+k)%len(kinds)], fmt.Sprintf("more%d", k))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// decoders generates the types.
func decoders(types int, layout string) (map[string]string, error) {
	read := func(name string) ([]byte, error) {
		if name == idlFile+".thrift" {
			return []byte(idl(types)), nil
		}
		return nil, fs.ErrNotExist
	}
	progs, errs := model.Load([]string{idlFile + ".thrift"}, model.Options{ReadFile: read})
	if errs.Fatal() {
		return nil, fmt.Errorf("the IDL of the experiment is refused: %w", errs)
	}
	made, err := gen.Generate(progs, gen.Options{PackagePrefix: "github.com/seamgo/seam", ErrorLayout: layout, NoCompact: true})
	if err != nil {
		return nil, fmt.Errorf("the IDL of the experiment: %w", err)
	}
	files := map[string]string{}
	for _, f := range made {
		files[path.Clean(f.Path)] = string(f.Text)
	}
	return files, nil
}

// listing is the file that lists the types.
func listing(types int) string {
	var b strings.Builder
	b.WriteString("package " + decodersDir + `

// A Message is one of the types below.
type Message interface {
	AppendBinary(b []byte) ([]byte, error)
	DecodeBinary(b []byte) error
}

// All makes an empty message of each type.
var All = []func() Message{
`)
	for i := range types {
		fmt.Fprintf(&b, "\tfunc() Message { return new(%s) },\n", typeName(i))
	}
	b.WriteString("}\n")
	return b.String()
}

// module is all files of the program with the decoders in a layout, by path.
func (v variant) module(types int, layout string) (map[string]string, error) {
	files, err := decoders(types, layout)
	if err != nil {
		return nil, err
	}
	if v.change != nil {
		for name, text := range files {
			files[name] = v.change(text)
		}
	}
	files["go.mod"] = progcache.GoMod
	files[decodersDir+"/all.go"] = listing(types)
	main, err := programFiles.ReadFile("program/program.go")
	if err != nil {
		return nil, err
	}
	// The tag keeps it out of our own build.
	files[programDir+"/main.go"] = strings.Replace(string(main), "//go:build ignore\n", "", 1)
	return files, progcache.AddFiles(files, "thrift", thrift.Source)
}
