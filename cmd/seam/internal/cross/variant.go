package cross

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// Variant is which of a machine's processors Go builds for, by GOARM, GO386 and GOAMD64: C has to
// be built for the same, or for less. The go command takes values that there aren't for another one.
func (t *Target) Variant(e *gotool.Env) error {
	var name, want string
	switch t.GOARCH {
	case "arm":
		name, t.variant, want = "GOARM", e.GOARM, "5 6 7"
	case "386":
		name, t.variant, want = "GO386", e.GO386, "sse2 softfloat"
	case "amd64":
		name, t.variant, want = "GOAMD64", e.GOAMD64, "v1 v2 v3 v4"
	}
	value, float, given := strings.Cut(t.variant, ",")
	if t.variant != "" && (!slices.Contains(strings.Fields(want), value) || given && (t.GOARCH != "arm" || float != "softfloat" && float != "hardfloat")) {
		return fmt.Errorf("%s=%s: seam cross knows %s", name, t.variant, strings.ReplaceAll(want, " ", ", "))
	}
	return nil
}

// arm takes GOARM apart: 6 and softfloat from "6,softfloat". From 6 on the default is hardfloat.
func (t Target) arm() (version string, soft bool) {
	version, float, given := strings.Cut(t.variant, ",")
	return version, given && float == "softfloat" || !given && version == "5"
}

// abi is what the triple of a Linux target ends in.
func (t Target) abi() string {
	if _, soft := t.arm(); t.GOARCH == "arm" && soft {
		return "eabi"
	}
	return machines[t.GOARCH].ABI
}

// processor are the flags by which a compiler builds for the variant.
func (t Target) processor(zig bool) []string {
	pick := func(zigs, gccs string) []string {
		if zig {
			return strings.Fields(zigs)
		}
		return strings.Fields(gccs)
	}
	switch version, soft := t.arm(); {
	case t.GOARCH == "arm" && version == "5":
		return pick("-mcpu=arm926ej_s", "-march=armv5te -mfloat-abi=soft")
	case t.GOARCH == "arm" && version == "6" && soft:
		return pick("-mcpu=arm1136j_s", "-march=armv6 -mfloat-abi=soft")
	case t.GOARCH == "arm" && version == "6":
		return pick("-mcpu=arm1176jzf_s", "-march=armv6 -mfpu=vfp -mfloat-abi=hard -marm")
	case t.GOARCH == "386" && t.variant == "softfloat":
		return pick("-mcpu=i586", "-march=i586 -mno-sse -mno-mmx")
	case t.GOARCH == "amd64" && len(t.variant) == 2 && t.variant > "v1":
		return pick("-mcpu=x86_64_"+t.variant, "-march=x86-64-"+t.variant)
	}
	return nil
}

// armVersions are what the values of Tag_CPU_arch stand for, and the least GOARM that has them:
// that of ARMv6 is an ARM1176, which has v6K, but not Thumb-2.
var armVersions = []struct {
	name  string
	goarm string
}{
	{"ARM before v4", "5"}, {"ARMv4", "5"}, {"ARMv4T", "5"}, {"ARMv5T", "5"}, {"ARMv5TE", "5"}, {"ARMv5TEJ", "5"}, {"ARMv6", "6"}, {"ARMv6KZ", "6"},
	{"ARMv6T2", "7"}, {"ARMv6K", "6"}, {"ARMv7", "7"}, {"ARMv6-M", "6"}, {"ARMv6S-M", "6"}, {"ARMv7E-M", "7"}, {"ARMv8", "8"},
}

// attributes of an ARM program, from .ARM.attributes.
type attributes struct {
	cpu     uint64 // Tag_CPU_arch
	hard    bool   // Tag_ABI_VFP_args: numbers are handed over in registers of the VFP
	present bool
}

const (
	tagCPUArch       = 6
	tagCompatibility = 32
	tagABIVFPArgs    = 28
)

// readAttributes reads the section, which anybody may have written.
func readAttributes(section []byte) (a attributes, err error) {
	bad := fmt.Errorf(".ARM.attributes can't be read")
	if len(section) == 0 || section[0] != 'A' {
		return a, bad
	}
	for rest := section[1:]; len(rest) > 0; {
		if len(rest) < 4 {
			return a, bad
		}
		n := binary.LittleEndian.Uint32(rest)
		if n < 4 || uint64(n) > uint64(len(rest)) {
			return a, bad
		}
		vendor, body, ok := bytes.Cut(rest[4:n], []byte{0})
		rest = rest[n:]
		if !ok {
			return a, bad
		}
		if string(vendor) != "aeabi" {
			continue
		}
		for len(body) > 0 {
			if len(body) < 5 {
				return a, bad
			}
			size := binary.LittleEndian.Uint32(body[1:])
			if size < 5 || uint64(size) > uint64(len(body)) {
				return a, bad
			}
			if body[0] == 1 && !a.read(body[5:size]) { // of the whole file
				return a, bad
			}
			body = body[size:]
		}
	}
	return a, nil
}

// read reads pairs of a tag and a number, or a text.
func (a *attributes) read(b []byte) bool {
	number := func() (uint64, bool) {
		n, k := binary.Uvarint(b)
		if k <= 0 {
			return 0, false
		}
		b = b[k:]
		return n, true
	}
	a.present = true
	for len(b) > 0 {
		tag, ok := number()
		if !ok {
			return false
		}
		isText := tag == 4 || tag == 5 || tag > tagCompatibility && tag%2 == 1
		if !isText {
			v, ok := number()
			if !ok {
				return false
			}
			switch tag {
			case tagCPUArch:
				a.cpu = v
			case tagABIVFPArgs:
				a.hard = v == 1
			}
		}
		if isText || tag == tagCompatibility {
			end := bytes.IndexByte(b, 0)
			if end < 0 {
				return false
			}
			b = b[end+1:]
		}
	}
	return true
}

// attributesOf reads those of a program; not present where it has none.
func attributesOf(f *elf.File) (attributes, error) {
	s := f.Section(".ARM.attributes")
	if s == nil {
		return attributes{}, nil
	}
	if s.Size > 1<<20 {
		return attributes{}, fmt.Errorf(".ARM.attributes has %d bytes", s.Size)
	}
	data, err := s.Data()
	if err != nil {
		return attributes{}, err
	}
	return readAttributes(data)
}

// compareARM says where a program is for another ARM than GOARM asks for.
func (t Target) compareARM(a attributes) (variant string, wrong []string) {
	if !a.present {
		return "", nil
	}
	version, soft := t.arm()
	variant = fmt.Sprintf("Tag_CPU_arch %d", a.cpu)
	if a.cpu < uint64(len(armVersions)) {
		v := armVersions[a.cpu]
		variant = v.name
		if version != "" && v.goarm > version {
			wrong = append(wrong, fmt.Sprintf("it has code for %s, and GOARM=%s is for ARMv%[2]s: the C compiler's own libraries may be for %[1]s; take zig, which builds them anew, or a compiler whose libraries are for ARMv%[2]s", v.name, version))
		}
	} else if version != "" {
		wrong = append(wrong, fmt.Sprintf("it has code for a newer ARM than seam cross knows (%s), and GOARM=%s is for ARMv%s", variant, version, version))
	}
	if soft && a.hard {
		wrong = append(wrong, fmt.Sprintf("it hands numbers over in registers of the VFP, which GOARM=%s doesn't have", t.variant))
	}
	return variant, wrong
}

// pkgConfig keeps pkg-config from what is installed for this machine: the environment in which it
// looks for the target's packages. What the user has set stays.
func (t Target) pkgConfig(f finder, given func(string) string) []string {
	if f.host == t.String() || given("PKG_CONFIG") != "" || given("PKG_CONFIG_LIBDIR") != "" || given("PKG_CONFIG_SYSROOT_DIR") != "" {
		return nil
	}
	triple := t.triple()
	if t.GOOS == "linux" && t.GOARCH == "386" {
		triple = "i386-linux-gnu" // Debian's folders are called so, its compilers aren't
	}
	folders := []string{"/usr/lib/" + triple + "/pkgconfig", "/usr/local/lib/" + triple + "/pkgconfig", "/usr/" + triple + "/lib/pkgconfig", "/usr/share/pkgconfig"}
	return []string{"PKG_CONFIG_LIBDIR=" + strings.Join(folders, string(filepath.ListSeparator))}
}
