package cross

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// section is a .ARM.attributes of these tags.
func section(tags ...byte) []byte {
	file := append([]byte{1, 0, 0, 0, 0}, tags...)
	binary.LittleEndian.PutUint32(file[1:], uint32(len(file)))
	body := append([]byte("\x00\x00\x00\x00aeabi\x00"), file...)
	binary.LittleEndian.PutUint32(body, uint32(len(body)))
	return append([]byte{'A'}, body...)
}

func TestReadAttributes(t *testing.T) {
	good := section(5, '7', '-', 'A', 0, 6, 10, 7, 'A', 28, 1, 32, 1, 'x', 0, 67, '2', '.', '0', 0, 34, 1)
	a, err := readAttributes(good)
	if err != nil || !a.present || a.cpu != 10 || !a.hard {
		t.Errorf("%+v, %v", a, err)
	}
	// A vendor of its own comes before.
	other := append([]byte{'A'}, append([]byte("\x0a\x00\x00\x00gnu\x00\x01\x02"), good[1:]...)...)
	if a, err := readAttributes(other); err != nil || a.cpu != 10 {
		t.Errorf("%+v, %v", a, err)
	}
	for n := range len(good) { // cut off anywhere
		if a, err := readAttributes(good[:n]); err == nil && a.present {
			t.Errorf("%d bytes of it: %+v", n, a)
		}
	}
	for _, bad := range [][]byte{nil, {'B'}, section(6), section(6, 0x80), section(5, 'x'), {'A', 0xff, 0xff, 0xff, 0xff}, {'A', 3, 0, 0, 0}} {
		if a, err := readAttributes(bad); err == nil {
			t.Errorf("%q: %+v", bad, a)
		}
	}
}

func TestVariant(t *testing.T) {
	arm := func(goarm string) Target {
		x := target(t, "linux/arm", false, "")
		x.Variant(&gotool.Env{GOARM: goarm})
		return x
	}
	for _, c := range []struct {
		goarm string
		a     attributes
		wrong string
	}{
		{"7", attributes{10, true, true}, ""},
		{"6", attributes{10, true, true}, "it has code for ARMv7, and GOARM=6 is for ARMv6"},
		{"6", attributes{8, true, true}, "it has code for ARMv6T2"},
		{"6", attributes{7, true, true}, ""},
		{"5", attributes{4, false, true}, ""},
		{"5", attributes{6, false, true}, "it has code for ARMv6, and GOARM=5"},
		{"6,softfloat", attributes{6, true, true}, "registers of the VFP"},
		{"7", attributes{99, true, true}, "a newer ARM than seam cross knows"},
		{"6", attributes{}, ""}, // it says nothing of itself
	} {
		_, wrong := arm(c.goarm).compareARM(c.a)
		if text := strings.Join(wrong, "; "); (text == "") != (c.wrong == "") || !strings.Contains(text, c.wrong) {
			t.Errorf("GOARM=%s, %+v: %q, want %q", c.goarm, c.a, text, c.wrong)
		}
	}
	gnu := machineWith("", "arm-linux-gnueabihf-gcc", "arm-linux-gnueabi-gcc", "gcc", "i686-linux-gnu-gcc")
	zig := machineWith("", "zig")
	for _, c := range []struct {
		machine finder
		target  string
		env     gotool.Env
		cc      string
	}{
		{gnu, "linux/arm", gotool.Env{GOARM: "7"}, "arm-linux-gnueabihf-gcc"},
		{gnu, "linux/arm", gotool.Env{GOARM: "6"}, "arm-linux-gnueabihf-gcc -march=armv6 -mfpu=vfp -mfloat-abi=hard -marm"},
		{gnu, "linux/arm", gotool.Env{GOARM: "6,softfloat"}, "arm-linux-gnueabi-gcc -march=armv6 -mfloat-abi=soft"},
		{gnu, "linux/arm", gotool.Env{GOARM: "5"}, "arm-linux-gnueabi-gcc -march=armv5te -mfloat-abi=soft"},
		{gnu, "linux/386", gotool.Env{GO386: "softfloat"}, "i686-linux-gnu-gcc -march=i586 -mno-sse -mno-mmx"},
		{gnu, "linux/386", gotool.Env{GO386: "sse2"}, "i686-linux-gnu-gcc"},
		{gnu, "linux/amd64", gotool.Env{GOAMD64: "v1"}, "gcc"},
		{gnu, "linux/amd64", gotool.Env{GOAMD64: "v3"}, "gcc -march=x86-64-v3"},
		{zig, "linux/arm", gotool.Env{GOARM: "6"}, "zig cc -target arm-linux-gnueabihf -fno-sanitize=undefined -mcpu=arm1176jzf_s"},
		{zig, "linux/arm", gotool.Env{GOARM: "5"}, "zig cc -target arm-linux-gnueabi -fno-sanitize=undefined -mcpu=arm926ej_s"},
		{zig, "linux/amd64", gotool.Env{GOAMD64: "v2"}, "zig cc -target x86_64-linux-gnu -fno-sanitize=undefined -mcpu=x86_64_v2"},
	} {
		x := target(t, c.target, false, "")
		x.Variant(&c.env)
		got, err := c.machine.find(x)
		if err != nil || got.CC != c.cc {
			t.Errorf("%s, %+v: %+v, %v, want %s", c.target, c.env, got, err, c.cc)
		}
	}
}

// The host's packages of pkg-config aren't the target's; what the user says stays.
func TestVariantIsKnown(t *testing.T) {
	for _, c := range []struct {
		target string
		env    gotool.Env
		want   string
	}{
		{"linux/arm", gotool.Env{GOARM: "9"}, "GOARM=9: seam cross knows 5, 6, 7"},
		{"linux/arm", gotool.Env{GOARM: "7,hard"}, "GOARM=7,hard: seam cross knows"},
		{"linux/arm", gotool.Env{GOARM: "7,softfloat"}, ""},
		{"linux/386", gotool.Env{GO386: "387"}, "GO386=387: seam cross knows sse2, softfloat"},
		{"linux/amd64", gotool.Env{GOAMD64: "v9"}, "GOAMD64=v9: seam cross knows v1,"},
		{"linux/amd64", gotool.Env{GOAMD64: "v3,softfloat"}, "GOAMD64=v3,softfloat"},
		{"windows/amd64", gotool.Env{GOAMD64: "v4"}, ""},
		{"linux/arm64", gotool.Env{GOARM: "9"}, ""},
	} {
		x := target(t, c.target, false, "")
		if err := x.Variant(&c.env); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.target, err, c.want)
		}
	}
}

// A compiler of the environment that is for another machine is named.
func TestOther(t *testing.T) {
	for _, c := range []struct{ target, cc, triple, want string }{
		{"linux/arm64", "gcc", "x86_64-linux-gnu", "CC=gcc compiles for x86_64-linux-gnu, and the target is linux/arm64"},
		{"windows/amd64", "gcc -O2", "x86_64-linux-gnu", "the target is windows/amd64"},
		{"linux/386", "gcc -m32", "x86_64-linux-gnu", ""},
		{"linux/arm64", "aarch64-linux-gnu-gcc", "aarch64-linux-gnu", ""},
		{"windows/386", "mingw", "i686-w64-mingw32", ""},
		{"linux/arm64", "tcc", "", ""},
		{"linux/arm64", "", "x86_64-linux-gnu", ""},
	} {
		f := finder{ask: func(...string) (string, bool) { return c.triple, c.triple != "" }}
		if got := target(t, c.target, false, "").other(f, c.cc); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestPkgConfig(t *testing.T) {
	m := machineWith("", "gcc")
	env := map[string]string{}
	given := func(name string) string { return env[name] }
	far, near := target(t, "linux/arm64", false, ""), target(t, "linux/amd64", false, "")
	if got := far.pkgConfig(m, given); len(got) != 1 || !strings.HasPrefix(got[0], "PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:") || slices.Contains(strings.Split(got[0], ":"), "/usr/lib/x86_64-linux-gnu/pkgconfig") {
		t.Errorf("%q", got)
	}
	if got := near.pkgConfig(m, given); got != nil {
		t.Errorf("for this machine: %q", got)
	}
	for _, name := range []string{"PKG_CONFIG", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"} {
		env = map[string]string{name: "x"}
		if got := far.pkgConfig(m, given); got != nil {
			t.Errorf("with %s: %q", name, got)
		}
	}
}
