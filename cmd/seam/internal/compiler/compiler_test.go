package compiler

import "testing"

func TestHowToGet(t *testing.T) {
	for _, c := range []struct{ release, system, name, want string }{
		{"ID=debian\n", "linux", "gcc", "apt-get install gcc libc6-dev"},
		{"NAME=x\nID=pop\nID_LIKE=\"ubuntu debian\"\n", "linux", "musl-gcc", "apt-get install musl-tools"},
		{"ID=ubuntu\n", "linux", "aarch64-linux-gnu-gcc", "apt-get install gcc-aarch64-linux-gnu"},
		{"ID=ubuntu\n", "linux", "x86_64-linux-gnu-gcc", "apt-get install gcc-x86-64-linux-gnu"},
		{"ID=debian\n", "linux", "arm-linux-gnueabihf-gcc", "apt-get install gcc-arm-linux-gnueabihf"},
		{"ID=alpine\n", "linux", "gcc", "apk add gcc musl-dev"},
		{"ID=rocky\nID_LIKE='rhel centos fedora'\n", "linux", "g++", "dnf install gcc-c++"},
		{"ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n", "linux", "cc", "zypper install gcc"},
		{"ID=arch", "linux", "clang", "pacman -S clang"},
		{"", "linux", "gcc", ""},
		{"ID=debian", "linux", "tcc", ""},
		{"", "darwin", "clang", "xcode-select --install"},
		{"", "linux", "zig", "pip install ziglang, or https://ziglang.org/download"},
	} {
		if got := howToGet(c.name, c.system, family(c.release)); got != c.want {
			t.Errorf("%s on %s %q: %q, want %q", c.name, c.system, c.release, got, c.want)
		}
	}
}
