package toolexec

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// What is compiled into package runtime/cgo would change its export data: by what it exports, and by
// the numbers of the package's other symbols, which its importers have. net is one, and an object
// has the export data's hash of all that it imports, so all that is above net would be compiled again.
//
// So the run-time is compiled by itself, under the same path, and its two objects are put into the
// package's archive behind those that are there, whose bytes stay what they were. That is how the
// archive gets its assembly, too: the linker reads all objects of an archive, and takes the first for
// the numbers of symbols, by which no object refers to ours. It would compare hashes of export data;
// ours is zero, as an assembler's is, which is not compared.

// apartDir is where workFile puts things.
func apartDir(args []string) string { return filepath.Join(filepath.Dir(option(args, "-o")), "seam") }

// compileApart compiles the run-time, after the package that it belongs to.
func (t *Tool) compileApart(ctx context.Context, args []string, rt Runtime) error {
	dir, archive := apartDir(args), option(args, "-o")
	files := slices.IndexFunc(args, func(a string) bool { return strings.HasSuffix(a, ".go") }) // they come last
	if files < 0 {
		return fmt.Errorf("package %s has no Go files: seam doesn't know this version of Go", runtimeCgo)
	}
	args, err := t.addFiles(ctx, args[:files], rt)
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "seam.a")
	setOption(args, "-o", out)
	setOption(args, "-symabis", filepath.Join(dir, "symabis"))
	setOption(args, "-asmhdr", filepath.Join(dir, "go_asm.h"))
	if err := t.alone(ctx, args); err != nil {
		return err
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	object, err := member(data, "_go_.o")
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	at := bytes.Index(object, objectMagic)
	if at < 0 || len(object) < at+importsAt {
		return fmt.Errorf("%s has an object of another form: seam doesn't know this version of Go", out)
	}
	clear(object[at+fingerprintAt : at+fingerprintAt+8])
	return appendMember(archive, "_seam_go.o", object)
}

// asmApart assembles the run-time's part, for the file args[i] of the package. That is done twice:
// before the compiler runs, for what it must know of assembly, and after.
func (t *Tool) asmApart(ctx context.Context, args []string, i int, rt Runtime) error {
	dir := apartDir(args)
	name, err := t.workFile(args, "seam_asm.s", rt.Asm)
	if err != nil {
		return err
	}
	ours := slices.Clone(args)
	ours[i] = name
	if slices.Contains(args, "-gensymabis") {
		setOption(ours, "-o", filepath.Join(dir, "symabis"))
		return t.alone(ctx, ours)
	}
	archive, out := filepath.Join(filepath.Dir(dir), "_pkg_.a"), filepath.Join(dir, "seam_asm.o")
	setOption(ours, "-o", out)
	setOption(ours, "-I", dir) // the first one: go_asm.h
	if err := t.alone(ctx, ours); err != nil {
		return err
	}
	object, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	return appendMember(archive, "_seam_asm.o", object)
}

// setOption changes the argument that follows an option of a tool.
func setOption(args []string, name, value string) {
	if i := slices.Index(args, name); i >= 0 && i+1 < len(args) {
		args[i+1] = value
	}
}

// An archive is a line, and for each member a header of arHeader bytes and its content, with a byte
// more where its length is odd.
const (
	arMagic  = "!<arch>\n"
	arHeader = 60
	arName   = 16
	arSize   = 48 // where the length is written, in 10 bytes
)

// member is the content of an archive's member.
func member(archive []byte, name string) ([]byte, error) {
	rest, ok := bytes.CutPrefix(archive, []byte(arMagic))
	for ok && len(rest) >= arHeader {
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[arSize : arSize+10])))
		if err != nil || size < 0 || size > len(rest)-arHeader {
			break
		}
		content := rest[arHeader : arHeader+size]
		if strings.TrimSpace(string(rest[:arName])) == name {
			return content, nil
		}
		rest = rest[min(arHeader+size+size%2, len(rest)):]
	}
	return nil, fmt.Errorf("no member %s, or not an archive", name)
}

// appendMember appends a member to an archive.
func appendMember(archive, name string, content []byte) error {
	f, err := os.OpenFile(archive, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	b := fmt.Appendf(nil, "%-*s%-12d%-6d%-6d%-8o%-10d`\n", arName, name, 0, 0, 0, 0o644, len(content))
	b = append(b, content...)
	if len(content)%2 == 1 {
		b = append(b, 0)
	}
	_, err = f.Write(b)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}
