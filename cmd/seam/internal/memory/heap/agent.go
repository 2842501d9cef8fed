package heap

import (
	"context"
	"debug/elf"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	seam "github.com/seamgo/seam"
	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// What a program that preloads the library finds in its environment.
const (
	FolderVariable = "SEAM_HEAP"      // the folder to record in
	RateVariable   = "SEAM_HEAP_RATE" // bytes a sample
)

// unwinder are the files of internal/unwind that the library has.
var unwinder = []string{"image.c", "objects.c", "table.c", "walk.c"}

// Library returns the path of the library that programs preload, for this machine. It is compiled
// when it is needed first, by the words of a C compiler. It counts allocators of the program's own, too.
func Library(ctx context.Context, cc []string, own ...Function) (string, error) {
	sources, err := sources()
	if err != nil {
		return "", err
	}
	if len(own) > 0 {
		sources["named.c"] = []byte(hooks(own))
	}
	flags := []string{"-shared", "-fPIC", "-O2", "-fvisibility=hidden", "-ftls-model=initial-exec", "-Wl,-z,defs", "-Wl,-soname,seam-heap.so"}
	parts := slices.Concat(cc, flags)
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		parts = append(parts, name, string(sources[name]))
	}
	if v, err := gotool.Run(ctx, gotool.Cmd{Args: append(slices.Clone(cc), "--version")}); err == nil {
		parts = append(parts, string(v))
	}
	cache, err := filecache.Open("heap")
	if err != nil {
		return "", err
	}
	return cache.Path(filecache.KeyOf(parts...), func(to string) error {
		dir, err := os.MkdirTemp("", "seam-heap-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		args := slices.Concat(cc, flags, []string{"-I" + dir, "-o", to})
		for name, text := range sources {
			file := filepath.Join(dir, path.Base(name))
			if err := os.WriteFile(file, text, 0o600); err != nil {
				return err
			}
			if strings.HasSuffix(name, ".c") {
				args = append(args, file)
			}
		}
		slices.Sort(args[len(cc)+len(flags)+3:])
		args = append(args, "-ldl", "-pthread")
		if _, err := gotool.Run(ctx, gotool.Cmd{Args: args}); err != nil {
			return fmt.Errorf("the library that counts allocations can't be compiled: %w", err)
		}
		return nil
	})
}

// ForMusl reports whether a library has been compiled for musl: the C library that it needs is not named
// as glibc's is.
func ForMusl(library string) bool {
	f, err := elf.Open(library)
	if err != nil {
		return false
	}
	defer f.Close()
	needed, _ := f.ImportedLibraries()
	return slices.ContainsFunc(needed, func(l string) bool { return l == "libc.so" || strings.HasPrefix(l, "libc.musl-") })
}

func sources() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, dir := range []string{"internal/heap", "internal/heap/agent", "internal/unwind", "internal/csys"} {
		tree := seam.Heap
		if dir == "internal/unwind" || dir == "internal/csys" {
			tree = seam.Unwind
		}
		list, err := fs.ReadDir(tree, dir)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			name := e.Name()
			if !strings.HasSuffix(name, ".h") && !strings.HasSuffix(name, ".c") ||
				dir == "internal/unwind" && strings.HasSuffix(name, ".c") && !slices.Contains(unwinder, name) || name == "start.c" { // that is for programs which have it compiled in
				continue
			}
			text, err := fs.ReadFile(tree, path.Join(dir, name))
			if err != nil {
				return nil, err
			}
			files[path.Join(dir, name)] = text
		}
	}
	return files, nil
}
