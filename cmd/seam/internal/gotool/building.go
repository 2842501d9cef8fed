package gotool

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Build is how far the go commands are that this process has started.
type Build struct {
	Doing string // what is compiled at this moment: a package, or a file of C; "" for nothing
	Over  bool   // a program is linked, or runs: what there is to compile for it is compiled
}

// Building looks at the processes below this one. Where the system doesn't tell, it
// returns nothing.
func Building() Build {
	var b Build
	for _, pid := range Descendants(os.Getpid()) {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || len(line) == 0 {
			continue // it has ended
		}
		dir, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		doing, over := tellTool(strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00"), dir)
		b.Over = b.Over || over
		if b.Doing == "" || strings.Contains(doing, " of ") { // C takes longest
			b.Doing = doing
		}
	}
	return b
}

// quietTools are what builds run besides compilers and linkers.
var quietTools = []string{"asm", "pack", "vet", "buildid", "covdata", "cover", "preprofile", "nm", "as", "gcc", "cc", "g++", "c++", "clang", "clang++", "zig", "git", "pkg-config"}

// tellTool says what a process in the folder dir compiles, by its command line, and
// whether it is one that comes after compiling.
func tellTool(args []string, dir string) (doing string, over bool) {
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	if i := slices.Index(args, "toolexec"); i == 1 {
		return "", false // ourselves: the tool is a process of its own
	}
	switch {
	case name == "compile":
		return flagValue(args, "-p"), false
	case name == "cgo":
		return flagValue(args, "-importpath"), false
	case name == "cc1" || name == "cc1plus" || slices.Contains(args, "-cc1"):
		return cFile(args, dir), false
	case name == "link", name == "collect2" || strings.HasPrefix(name, "ld"):
		// cgo links too, a small file for each package; only link makes programs.
		return "", name == "link"
	case IsGo(name), slices.Contains(quietTools, name), strings.HasSuffix(name, "-gcc"), strings.HasSuffix(name, "-g++"):
		return "", false
	}
	return "", true
}

// workFolder is where the go command builds a package.
var workFolder = regexp.MustCompile(`^b\d+$`)

func flagValue(args []string, name string) string {
	if i := slices.Index(args, name); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}

// cFile is the file of C that a compiler works on, and where it comes from.
func cFile(args []string, dir string) string {
	for _, a := range args[1:] {
		switch filepath.Ext(a) {
		case ".c", ".cc", ".cpp", ".cxx", ".m", ".S":
			file, from := filepath.Base(a), filepath.Base(dir)
			if _, module, ok := strings.Cut(dir, "/pkg/mod/"); ok {
				from = module
			} else if workFolder.MatchString(from) {
				return file // which cgo wrote
			}
			return file + " of " + from
		}
	}
	return ""
}
