package toolexec

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// Package runtime/cgo doesn't import package runtime, so the go command doesn't
// tell the compiler where that is. It has to be the very one of this build. The
// packages that runtime/cgo does import (sync) were compiled against it and
// their objects hold its fingerprint; what has another one is not taken, since
// the linker would refuse it.

// importRuntime makes package runtime known to a compilation of runtime/cgo. It
// returns the arguments with another -importcfg; false if the right package was
// not found.
func (t *Tool) importRuntime(ctx context.Context, args []string) ([]string, bool, error) {
	cfg := option(args, "-importcfg")
	text, err := os.ReadFile(cfg)
	if err != nil {
		return nil, false, err
	}
	if packageFile(text, "runtime") != "" {
		return args, true, nil
	}
	want, ok := importedFingerprint(packageFile(text, "sync"), "runtime")
	if !ok {
		return args, false, nil
	}
	candidates := runtimeCandidates(ctx, args)
	i := slices.IndexFunc(candidates, func(file string) bool {
		got, ok := fingerprint(file)
		return ok && got == want
	})
	if i < 0 {
		return args, false, nil
	}
	name, err := t.workFile(args, "importcfg", append(bytes.TrimRight(text, "\n"), "\npackagefile runtime="+candidates[i]+"\n"...))
	if err != nil {
		return nil, false, err
	}
	changed := slices.Clone(args)
	for i, a := range changed {
		if a == "-importcfg" {
			changed[i+1] = name
		}
	}
	return changed, true, nil
}

// packageFile finds a package in the text of an importcfg.
func packageFile(cfg []byte, path string) string {
	for line := range strings.Lines(string(cfg)) {
		if file, ok := strings.CutPrefix(strings.TrimSpace(line), "packagefile "+path+"="); ok {
			return file
		}
	}
	return ""
}

// runtimeCandidates are the places where this build may have package runtime:
// where other packages of the build find it, or in the go command's cache.
func runtimeCandidates(ctx context.Context, args []string) []string {
	var list []string
	work := filepath.Dir(filepath.Dir(option(args, "-o")))
	configs, _ := filepath.Glob(filepath.Join(work, "b*", "importcfg")) // the pattern is ours
	for _, name := range configs {
		text, _ := os.ReadFile(name)
		if file := packageFile(text, "runtime"); file != "" && !slices.Contains(list, file) {
			list = append(list, file)
		}
	}
	if len(list) == 0 {
		list = append(list, listedRuntime(ctx, args)) // "" is no object either
	}
	return list
}

// listedRuntime asks the go command of the tool's own toolchain.
func listedRuntime(ctx context.Context, args []string) string {
	root := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(args[0])))) // of GOROOT/pkg/tool/OS_ARCH/compile
	argv := []string{filepath.Join(root, "bin", "go"), "list", "-export", "-f", "{{.Export}}"}
	for _, flag := range []string{"-race", "-msan", "-asan"} {
		if slices.Contains(args, flag) {
			argv = append(argv, flag)
		}
	}
	if strings.Contains(option(args, "-trimpath"), "=>"+runtimeCgo) {
		argv = append(argv, "-trimpath") // the go command's flag; the compiler's is always there
	}
	switch {
	case slices.Contains(args, "-dynlink"):
		argv = append(argv, "-buildmode=plugin")
	case slices.Contains(args, "-shared"):
		argv = append(argv, "-buildmode=pie")
	}
	// What decides how much of a package others can inline is in its fingerprint.
	var compiler []string
	for _, a := range args {
		switch name, _, _ := strings.Cut(a, "="); name {
		case "-N", "-l", "-B", "-d":
			compiler = append(compiler, a)
		}
	}
	if len(compiler) > 0 {
		argv = append(argv, "-gcflags=all="+strings.Join(compiler, " "))
	}
	out, err := gotool.Run(ctx, gotool.Cmd{
		Args: append(argv, "runtime"),
		Dir:  root, // away from the user's module, whose settings are not for the standard library
		Env:  []string{"GOTOOLCHAIN=local", "GOROOT=" + root, "GOWORK=off", "GOFLAGS="},
	})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// objectMagic begins an object of Go's, behind a header in text.
var objectMagic = []byte("\x00go120ld")

// object is the beginning of a package's object: magic, fingerprint, flags and
// offsets of its blocks, of which the first lists what is imported.
type object struct {
	data []byte // from the magic on
}

const (
	fingerprintAt = 8
	importsAt     = 20 // offset of the first block, and after it that of the second
	importSize    = 16 // length and offset of the path, fingerprint
	objectLimit   = 256 << 20
)

func readObject(file string) (*object, bool) {
	if file == "" {
		return nil, false
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, objectLimit))
	if err != nil {
		return nil, false
	}
	return parseObject(data)
}

func parseObject(data []byte) (*object, bool) {
	// The export data in front is compressed by nothing but holds no zero
	// byte before this text; a false match fails the checks below.
	at := bytes.Index(data, objectMagic)
	if at < 0 || len(data)-at < importsAt+8 {
		return nil, false
	}
	return &object{data[at:]}, true
}

// fingerprint is what a package's users were compiled against.
func fingerprint(file string) (sum [8]byte, ok bool) {
	o, ok := readObject(file)
	if ok {
		copy(sum[:], o.data[fingerprintAt:])
	}
	return sum, ok
}

// importedFingerprint is that of a package which the one in file imports.
func importedFingerprint(file, path string) (sum [8]byte, ok bool) {
	o, ok := readObject(file)
	if !ok {
		return sum, false
	}
	return o.imported(path)
}

func (o *object) imported(path string) (sum [8]byte, ok bool) {
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(o.data[at:])) }
	from, to := u32(importsAt), u32(importsAt+4)
	if from > to || to > len(o.data) {
		return sum, false
	}
	for ; from+importSize <= to; from += importSize {
		length, at := u32(from), u32(from+4)
		if length > len(o.data) || at > len(o.data)-length {
			return sum, false
		}
		if string(o.data[at:at+length]) == path {
			copy(sum[:], o.data[from+8:])
			return sum, true
		}
	}
	return sum, false
}
