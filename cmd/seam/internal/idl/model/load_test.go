package model_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// files are sources by path.
type files map[string]string

func (f files) options() model.Options {
	return model.Options{
		ReadFile: func(p string) ([]byte, error) {
			src, ok := f[path.Clean(p)]
			if !ok {
				return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
			}
			return []byte(src), nil
		},
		ListDir: func(dir string) ([]string, error) {
			var names []string
			for p := range f {
				if path.Dir(p) == path.Clean(dir) {
					names = append(names, path.Base(p))
				}
			}
			slices.Sort(names)
			return names, nil
		},
	}
}

// one loads a source that must be right.
func one(t *testing.T, src string) (*model.Program, syntax.Errors) {
	t.Helper()
	progs, errs := model.Load([]string{"a.thrift"}, files{"a.thrift": src}.options())
	if errs.Fatal() {
		t.Fatalf("not accepted:\n%v\n%s", errs, src)
	}
	return progs[0], errs
}

func TestIncludes(t *testing.T) {
	type test struct {
		name  string
		files files
		load  []string
		dirs  []string
		want  string // programs with a mark of those requested, and errors
	}
	for _, tc := range []test{
		{
			name:  "included files come first, each once",
			files: files{"a.thrift": `include "b.thrift" include "c.thrift"`, "b.thrift": `include "d.thrift"`, "c.thrift": `include "d.thrift"`, "d.thrift": ""},
			load:  []string{"a.thrift"},
			want:  "d.thrift b.thrift c.thrift a.thrift*",
		},
		{
			name:  "the folder of the including file counts before -I",
			files: files{"x/a.thrift": `include "b.thrift"`, "x/b.thrift": "", "y/b.thrift": ""},
			load:  []string{"x/a.thrift"}, dirs: []string{"y"},
			want: "x/b.thrift x/a.thrift*",
		},
		{
			name:  "folders of -I are searched in order",
			files: files{"x/a.thrift": `include "s/b.thrift"`, "y/s/b.thrift": "", "z/s/b.thrift": ""},
			load:  []string{"x/a.thrift"}, dirs: []string{"none", "y", "z"},
			want: "y/s/b.thrift x/a.thrift*",
		},
		{
			name:  "paths with dots name the same file",
			files: files{"a.thrift": `include "./s/../b.thrift" include "b.thrift"`, "b.thrift": ""},
			load:  []string{"a.thrift", "./b.thrift", "a.thrift"},
			want:  "b.thrift* a.thrift*",
		},
		{
			name:  "a circle of files",
			files: files{"a.thrift": "include \"b.thrift\"\nstruct A { 1: b.B b }", "b.thrift": "include \"c.thrift\"\nstruct B {}", "c.thrift": "include \"a.thrift\"\nstruct C { 1: a.A a }"},
			load:  []string{"a.thrift"},
			want:  "c.thrift:1:1: files include each other in a cycle: a.thrift → b.thrift → c.thrift → a.thrift; move what both need into a third file",
		},
		{
			name:  "a file that includes itself",
			files: files{"a.thrift": `include "a.thrift"`},
			load:  []string{"a.thrift"},
			want:  "a.thrift:1:1: files include each other in a cycle: a.thrift → a.thrift; move what both need into a third file",
		},
		{
			name:  "a missing include says where it was looked for, and is no reason for more errors",
			files: files{"x/a.thrift": "include \"s/shard.thrift\"\nstruct A { 1: shard.B b = shard.C }", "y/s/shared.thrift": ""},
			load:  []string{"x/a.thrift"}, dirs: []string{"y"},
			want: "x/a.thrift:1:1: no such file: s/shard.thrift; it was looked for as x/s/shard.thrift, y/s/shard.thrift; did you mean s/shared.thrift?",
		},
		{
			name:  "a missing include with nothing near",
			files: files{"a.thrift": `include "b.thrift"`},
			load:  []string{"a.thrift"},
			want:  "a.thrift:1:1: no such file: b.thrift; it was looked for as b.thrift; name its folder with -I",
		},
		{
			name:  "a missing include by its place on another computer",
			files: files{"a.thrift": `include "/home/somebody/b.thrift"`},
			load:  []string{"a.thrift"},
			want:  "a.thrift:1:1: no such file: /home/somebody/b.thrift; include it by a path from this file's folder, or from one named with -I",
		},
		{
			name:  "a missing file of the command line",
			files: files{"order.thrift": ""},
			load:  []string{"oder.thrift", "order.thrift"},
			want:  "oder.thrift: can't read it: file does not exist; did you mean order.thrift?",
		},
		{
			name:  "a file with syntax errors is not checked, and names it may define are not reported",
			files: files{"a.thrift": "include \"b.thrift\"\nstruct A { 1: b.B b = b.C, 2: Nowhere n }", "b.thrift": "struct B { 1: i32 x\nstruct ! {}"},
			load:  []string{"a.thrift"},
			want:  "(syntax) a.thrift:2:31: unknown type Nowhere",
		},
		{
			name:  "only what a file includes itself is visible in it",
			files: files{"a.thrift": "include \"b.thrift\"\nstruct A { 1: c.C c }", "b.thrift": `include "c.thrift"`, "c.thrift": "struct C {}"},
			load:  []string{"a.thrift"},
			want:  "a.thrift:2:15: unknown type c.C; a.thrift includes no file named c.thrift itself, so add an include of c.thrift",
		},
		{
			name:  "of two files with one name each has its names",
			files: files{"a.thrift": "include \"x/b.thrift\"\ninclude \"y/b.thrift\"\nconst i32 C = b.N\nconst i32 D = b.M\nstruct A { 1: b.X x, 2: b.Y y, 3: b.E e = b.E.ONE }", "x/b.thrift": "const i32 N = 1\nstruct X {}\nenum E { ONE }", "y/b.thrift": "const i32 M = 2\nstruct Y {}"},
			load:  []string{"a.thrift"},
			want:  "x/b.thrift y/b.thrift a.thrift*",
		},
		{
			name:  "but what is in both is neither, where it is used",
			files: files{"a.thrift": "include \"x/b.thrift\"\ninclude \"y/b.thrift\"\nconst i32 C = b.N\nstruct A { 1: b.T t, 2: list<b.T> u }", "x/b.thrift": "const i32 N = 1\nstruct T {}\nstruct Unused {}", "y/b.thrift": "const i32 N = 2\nstruct T {}\nstruct Unused {}"},
			load:  []string{"a.thrift"},
			want: "a.thrift:2:1: b.T is in x/b.thrift and in y/b.thrift, which are both called b here: Apache's compiler takes the second, thriftgo the first; rename one of the files\n" +
				"a.thrift:2:1: b.N is in x/b.thrift and in y/b.thrift, which are both called b here: Apache's compiler takes the second, thriftgo the first; rename one of the files",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opt := tc.files.options()
			opt.IncludeDirs = tc.dirs
			progs, errs := model.Load(tc.load, opt)
			if errs.Fatal() != (progs == nil) {
				t.Fatalf("fatal is %v, and there are %d programs", errs.Fatal(), len(progs))
			}
			var got []string
			for _, p := range progs {
				mark := ""
				if p.Requested {
					mark = "*"
				}
				got = append(got, p.Path+mark)
			}
			text := strings.Join(got, " ")
			if len(errs) > 0 {
				text = strings.TrimPrefix(text+"\n"+errs.Error(), "\n")
			}
			if rest, ok := strings.CutPrefix(tc.want, "(syntax) "); ok {
				// How syntax errors are worded is not of interest here.
				lines := strings.Split(text, "\n")
				if len(lines) < 2 || lines[len(lines)-1] != rest {
					t.Errorf("got\n%s\nwant it to end in\n%s", text, rest)
				}
				return
			}
			if text != tc.want {
				t.Errorf("got\n%s\nwant\n%s", text, tc.want)
			}
		})
	}
}

func TestFilesOnDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, src string) {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("real/a.thrift", `include "b.thrift"`)
	write("real/b.thrift", "struct B {}")
	write("c.thrift", "include \"real/b.thrift\"\ninclude \"link.thrift\"\ninclude \"dir.thrift\"\nstruct C { 1: b.B b }")
	write("dir.thrift/x", "")
	if err := os.Symlink("real/a.thrift", filepath.Join(dir, "link.thrift")); err != nil {
		t.Skip(err)
	}
	_, errs := model.Load([]string{filepath.Join(dir, "c.thrift")}, model.Options{})
	want := fmt.Sprintf("%s/c.thrift:3:1: can't include %s/dir.thrift: is a directory", dir, dir)
	if errs.Error() != want {
		t.Errorf("got %v, want %s", errs, want)
	}
	write("c.thrift", "include \"real/b.thrift\"\ninclude \"link.thrift\"\nstruct C { 1: b.B b }")
	progs, errs := model.Load([]string{filepath.Join(dir, "c.thrift")}, model.Options{})
	if len(errs) > 0 || len(progs) != 3 {
		t.Errorf("%d programs instead of 3: a file was read twice; %v", len(progs), errs)
	}
	_, errs = model.Load([]string{filepath.Join(dir, "lnik.thrift")}, model.Options{})
	if !strings.Contains(errs.Error(), "no such file or directory; did you mean "+dir+"/link.thrift?") {
		t.Errorf("got %v", errs)
	}
}
