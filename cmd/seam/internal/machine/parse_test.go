package machine

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseCPUName(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"x86", "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 7R13  Processor\n\nprocessor\t: 1\nmodel name\t: other\n", "AMD EPYC 7R13 Processor"},
		{"arm64 server", "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n", "Arm Neoverse N1"},
		{"arm64, unknown part", "CPU implementer\t: 0x61\nCPU part\t: 0x022\n", "arm64 implementer 0x61 part 0x022"},
		{"arm64, other maker", "CPU implementer\t: 0x46\nCPU part\t: 0x001\n", "Fujitsu A64FX"},
		{"board", "processor\t: 0\nModel\t\t: Raspberry Pi 5\n", "Raspberry Pi 5"},
		{"riscv", "processor\t: 0\nhart\t: 1\nuarch\t: sifive,u74-mc\n", "sifive,u74-mc"},
		{"empty", "", ""},
		{"no colon", "model name AMD", ""},
		{"no value", "model name\t:\n", ""},
		{"escape sequences", "model name\t: \x1b[31mred\x00\n", "[31mred"},
		{"not UTF-8", "model name\t: a\xff\xfeb\n", "ab"},
		{"long", "model name\t: " + strings.Repeat("x", 5000), strings.Repeat("x", 100)},
	} {
		if got := parseCPUName(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestParseLoad(t *testing.T) {
	for text, want := range map[string]float64{
		"0.42 0.30 0.25 2/345 6789\n": 0.42,
		"12.00":                       12,
		"":                            -1,
		"\n":                          -1,
		"load":                        -1,
		"-1 0 0":                      -1,
		"NaN 0 0":                     -1,
		"Inf 0 0":                     -1,
		"1e99 0 0":                    -1,
	} {
		if got := parseLoad(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal:        8039952 kB\nMemFree: 1 kB\n": 8039952 << 10,
		"MemFree: 1 kB\nMemTotal: 2 kB\n":              2048,
		"":                                             0,
		"MemTotal: lots kB\n":                          0,
		"MemTotal: -5 kB\n":                            0,
		"MemTotal: 5 MB\n":                             0,
		"MemTotal: 9223372036854775807 kB\n":           0,
		"MemTotal:\n":                                  0,
	} {
		if got := parseMemory(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestParseCacheSize(t *testing.T) {
	for text, want := range map[string]int{
		"32K\n": 32 << 10, "16M": 16 << 20, "512": 512, "": 0, "K": 0, "-1K": 0, "x": 0, "99999999999G": 0,
		"1048577M": 0,
	} {
		if got := parseCacheSize(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestParseGovernors(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{nil, ""},
		{[]string{"performance\n", "performance\n"}, "performance"},
		{[]string{"schedutil\n", "performance\n", ""}, "performance, schedutil"},
		{[]string{"\x00\n"}, ""},
	} {
		if got := parseGovernors(c.texts); got != c.want {
			t.Errorf("%q: %q, want %q", c.texts, got, c.want)
		}
	}
}

func TestParseQuota(t *testing.T) {
	for text, want := range map[string]float64{
		"150000 100000\n": 1.5, "max 100000\n": 0, "": 0, "1": 0, "1 0": 0, "-1 100000": 0, "NaN NaN": 0, "Inf 1": 0,
	} {
		if got := parseQuota(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestHypervisor(t *testing.T) {
	for text, want := range map[string]string{
		"KVMKVMKVM\x00\x00\x00": "KVM",
		"Microsoft Hv":          "Hyper-V",
		"VMwareVMware":          "VMware",
		"XenVMMXenVMM":          "Xen",
		"TCGTCGTCGTCG":          "QEMU without KVM",
		"Microsoft Corporation\n Virtual Machine\n": "Hyper-V",
		"Microsoft Corporation Surface Laptop":      "",
		"Amazon EC2 m6g.large":                      "Amazon EC2",
		"Amazon EC2 m6g.metal":                      "",
		"linux,kvm\x00":                             "KVM",
		"Dell Inc. PowerEdge R640":                  "",
		"":                                          "",
	} {
		if got := hypervisor(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestParseDeviceTree(t *testing.T) {
	for text, want := range map[string]string{
		"Raspberry Pi 4 Model B\x00": "Raspberry Pi 4 Model B", "a\x00b\x00": "a", "": "", "\x00": "",
	} {
		if got := parseDeviceTree(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The texts come from the kernel, but in a sandbox from anyone.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"model name : x\n", "MemTotal: 5 kB", "0.1 0.2", "32K", "1 2", "a\x00b", "CPU implementer: 0x41\nCPU part: 0xd0c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{parseCPUName(text), parseDeviceTree(text), hypervisor(text), parseGovernors([]string{text})} {
			if !utf8.ValidString(name) || strings.ContainsAny(name, "\n\x1b\x00") {
				t.Errorf("%q is no line to print", name)
			}
		}
		if load := parseLoad(text); load < 0 && load != -1 {
			t.Errorf("load %v", load)
		}
		if m := parseMemory(text); m < 0 {
			t.Errorf("memory %v", m)
		}
		if n := parseCacheSize(text); n < 0 {
			t.Errorf("cache of %v", n)
		}
		if q := parseQuota(text); !(q >= 0) {
			t.Errorf("quota %v", q)
		}
	})
}
