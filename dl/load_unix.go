//go:build unix

package dl

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/ebitengine/purego"
)

// The loader keeps its error for the thread, so the goroutine must not change threads before
// it is read.
func onOneThread(f func() (uintptr, error)) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return f()
}

func load(name string) (uintptr, error) {
	if name == "" || strings.ContainsRune(name, 0) {
		return 0, errors.New("this is no name of a library")
	}
	for _, file := range candidates(name) {
		if err := truncated(file); err != nil {
			return 0, err
		}
	}
	handle, err := onOneThread(func() (uintptr, error) { return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL) })
	if err != nil {
		return 0, explain(name, err)
	}
	return handle, nil
}

// candidates are the files that the loader is likely to take for a name.
func candidates(name string) (files []string) {
	if strings.Contains(name, "/") {
		return []string{name}
	}
	dirs := strings.FieldsFunc(os.Getenv("LD_LIBRARY_PATH"), func(r rune) bool { return r == ':' || r == ';' })
	for _, d := range dirs {
		files = append(files, filepath.Join(d, name))
	}
	return files
}

// truncated returns an error if the file is a library of which the end is missing. The loader
// maps what should be there and dies of a bus error.
func truncated(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return nil // the loader says so too
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	// Package debug/elf wants the sections too, which are at the end.
	var h elf.Header64
	if binary.Read(f, binary.LittleEndian, &h) != nil || string(h.Ident[:4]) != elf.ELFMAG || elf.Class(h.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Data(h.Ident[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return nil
	}
	for i := range int64(h.Phnum) {
		var p elf.Prog64
		at := io.NewSectionReader(f, int64(h.Phoff)+i*int64(h.Phentsize), int64(binary.Size(p)))
		if binary.Read(at, binary.LittleEndian, &p) != nil {
			return fmt.Errorf("the file %s of %d bytes is damaged: its program headers are missing", file, info.Size())
		}
		if end := p.Off + p.Filesz; elf.ProgType(p.Type) == elf.PT_LOAD && (end > uint64(info.Size()) || end < p.Off) {
			return fmt.Errorf("the file %s of %d bytes is truncated, or damaged: it says that it has at least %d", file, info.Size(), end)
		}
	}
	return nil
}

// explain adds to the loader's sentence what it leaves out.
func explain(name string, err error) error {
	if !strings.Contains(name, "/") {
		return err
	}
	f, ferr := elf.Open(name)
	if errors.Is(ferr, fs.ErrNotExist) || runtime.GOOS == "darwin" {
		return err
	}
	if ferr != nil {
		if info, serr := os.Stat(name); serr == nil && info.Mode().IsRegular() {
			return fmt.Errorf("%w (the file of %d bytes is damaged, or no library: %v)", err, info.Size(), ferr)
		}
		return err
	}
	defer f.Close()
	if want := machine[runtime.GOARCH]; want != 0 && f.Machine != want {
		return fmt.Errorf("%w (the file is for %v, this program for %v)", err, f.Machine, want)
	}
	return err
}

var machine = map[string]elf.Machine{
	"386": elf.EM_386, "amd64": elf.EM_X86_64, "arm": elf.EM_ARM, "arm64": elf.EM_AARCH64,
	"loong64": elf.EM_LOONGARCH, "ppc64le": elf.EM_PPC64, "riscv64": elf.EM_RISCV, "s390x": elf.EM_S390,
}

func lookup(handle uintptr, name string) (uintptr, error) {
	return onOneThread(func() (uintptr, error) { return purego.Dlsym(handle, name) })
}

func unload(handle uintptr) error {
	_, err := onOneThread(func() (uintptr, error) { return 0, purego.Dlclose(handle) })
	return err
}

// errnoLocation returns the address of the C library's function that says where errno is.
var errnoLocation = sync.OnceValues(func() (uintptr, error) {
	address, err := lookup(purego.RTLD_DEFAULT, "__errno_location")
	if err != nil {
		return 0, fmt.Errorf("the C library doesn't say where errno is: %w", err)
	}
	return address, nil
})
