package compiler

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// HowToGet is the command that installs a compiler on this system, with the C library's
// headers, which some distributions keep apart; "" where it isn't known.
func HowToGet(command string) string {
	name := filepath.Base(command)
	name = strings.TrimSuffix(name, ".exe")
	release, _ := os.ReadFile("/etc/os-release") // where there is none, the family isn't known
	return howToGet(name, runtime.GOOS, family(string(release)))
}

func howToGet(name, system, family string) string {
	if name == "zig" {
		return "pip install ziglang, or https://ziglang.org/download"
	}
	switch system {
	case "darwin":
		return "xcode-select --install"
	case "windows":
		return "install MinGW-w64, for example with: winget install BrechtSanders.WinLibs.POSIX.UCRT"
	}
	if get := packages[family][name]; get != "" {
		return get
	}
	if triple, ok := strings.CutSuffix(name, "-gcc"); ok && family == "debian" && strings.Contains(triple, "-linux-gnu") {
		return "apt-get install gcc-" + strings.ReplaceAll(triple, "_", "-")
	}
	if cpu, ok := strings.CutSuffix(name, "-w64-mingw32-gcc"); ok && family == "debian" {
		cpu = strings.ReplaceAll(cpu, "_", "-")
		return "apt-get install gcc-mingw-w64-" + cpu + " g++-mingw-w64-" + cpu
	}
	return ""
}

// packages says how a family of distributions installs what go env names by default, and
// what else people set CC to.
var packages = map[string]map[string]string{
	"debian": {
		"pkg-config": "apt-get install pkg-config",
		"gcc":        "apt-get install gcc libc6-dev", "g++": "apt-get install g++", "cc": "apt-get install gcc libc6-dev",
		"clang": "apt-get install clang libc6-dev", "clang++": "apt-get install clang g++", "musl-gcc": "apt-get install musl-tools",
	},
	"alpine": {
		"gcc": "apk add gcc musl-dev", "g++": "apk add g++", "cc": "apk add gcc musl-dev",
		"clang": "apk add clang musl-dev", "clang++": "apk add clang g++",
	},
	"fedora": {
		"gcc": "dnf install gcc", "g++": "dnf install gcc-c++", "cc": "dnf install gcc",
		"clang": "dnf install clang", "clang++": "dnf install clang gcc-c++", "musl-gcc": "dnf install musl-gcc",
	},
	"suse": {
		"gcc": "zypper install gcc", "g++": "zypper install gcc-c++", "cc": "zypper install gcc",
		"clang": "zypper install clang", "clang++": "zypper install clang gcc-c++",
	},
	"arch": {
		"gcc": "pacman -S gcc", "g++": "pacman -S gcc", "cc": "pacman -S gcc",
		"clang": "pacman -S clang", "clang++": "pacman -S clang", "musl-gcc": "pacman -S musl",
	},
}

// family is the distribution that a system's packages are those of, by /etc/os-release.
func family(release string) string {
	var names []string
	for line := range strings.Lines(release) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if key == "ID" || key == "ID_LIKE" {
			names = append(names, strings.Fields(strings.Trim(value, `"'`))...)
		}
	}
	for _, family := range []struct {
		name string
		ids  []string
	}{
		{"debian", []string{"debian", "ubuntu"}},
		{"alpine", []string{"alpine"}},
		{"fedora", []string{"fedora", "rhel", "centos", "amzn"}},
		{"suse", []string{"suse", "opensuse", "sles"}},
		{"arch", []string{"arch"}},
	} {
		if slices.ContainsFunc(names, func(n string) bool { return slices.Contains(family.ids, n) }) {
			return family.name
		}
	}
	return ""
}
