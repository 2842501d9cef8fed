package machine

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The functions of this file read the texts of /proc and /sys. They are given
// whatever is found there, which in containers and emulators may be anything,
// and answer with an empty value rather than an error.

// clean makes one short printable line of s.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	const most = 100
	if r := []rune(s); len(r) > most {
		s = string(r[:most])
	}
	return s
}

// fields yields the "key : value" lines of /proc/cpuinfo and /proc/meminfo.
func fields(text string, yield func(key, value string) bool) {
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(line, ":")
		if ok && !yield(strings.TrimSpace(key), clean(value)) {
			return
		}
	}
}

// parseCPUName finds the name of the first processor in /proc/cpuinfo. On
// arm64 that file has a name only on some systems ("Model", "Hardware"), and
// numbers on all; the numbers are then named by armName.
func parseCPUName(cpuinfo string) string {
	found := map[string]string{}
	fields(cpuinfo, func(key, value string) bool {
		if _, ok := found[key]; !ok && value != "" {
			found[key] = value
		}
		return true
	})
	if name := found["model name"]; name != "" {
		return name
	}
	if name := armName(found["CPU implementer"], found["CPU part"]); name != "" {
		return name
	}
	for _, key := range []string{"Model", "Hardware", "cpu model", "uarch", "cpu"} {
		if name := found[key]; name != "" {
			return name
		}
	}
	return ""
}

// armParts names the arm64 cores that servers and developers' machines have
// (Linux, arch/arm64/include/asm/cputype.h).
var armParts = map[string]map[string]string{
	"0x41": {
		"0xd03": "Cortex-A53", "0xd04": "Cortex-A35", "0xd05": "Cortex-A55", "0xd07": "Cortex-A57",
		"0xd08": "Cortex-A72", "0xd09": "Cortex-A73", "0xd0a": "Cortex-A75", "0xd0b": "Cortex-A76",
		"0xd0c": "Neoverse N1", "0xd0d": "Cortex-A77", "0xd40": "Neoverse V1", "0xd41": "Cortex-A78",
		"0xd44": "Cortex-X1", "0xd46": "Cortex-A510", "0xd47": "Cortex-A710", "0xd48": "Cortex-X2",
		"0xd49": "Neoverse N2", "0xd4f": "Neoverse V2", "0xd83": "Neoverse V3AE", "0xd84": "Neoverse V3",
		"0xd8e": "Neoverse N3",
	},
	"0x46": {"0x001": "Fujitsu A64FX"},
	"0x48": {"0xd01": "HiSilicon TSV110"},
	"0xc0": {"0xac3": "Ampere-1", "0xac4": "Ampere-1a"},
}

func armName(implementer, part string) string {
	if implementer == "" || part == "" {
		return ""
	}
	if name := armParts[implementer][part]; name != "" {
		if implementer == "0x41" {
			return "Arm " + name
		}
		return name
	}
	return "arm64 implementer " + implementer + " part " + part
}

// parseDeviceTree reads a string of the device tree, which ends with a NUL. A
// list of strings gives its first.
func parseDeviceTree(text string) string {
	first, _, _ := strings.Cut(text, "\x00")
	return clean(first)
}

// parseLoad reads the 1-minute average of /proc/loadavg, or -1.
func parseLoad(loadavg string) float64 {
	f := strings.Fields(loadavg)
	if len(f) == 0 {
		return -1
	}
	load, err := strconv.ParseFloat(f[0], 64)
	if err != nil || !(load >= 0 && load < 1e6) {
		return -1
	}
	return load
}

// parseMemory reads MemTotal of /proc/meminfo in bytes, or 0.
func parseMemory(meminfo string) (bytes int64) {
	fields(meminfo, func(key, value string) bool {
		if key != "MemTotal" {
			return true
		}
		number, unit, _ := strings.Cut(value, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if err == nil && unit == "kB" && n > 0 && n < 1<<52 {
			bytes = n << 10
		}
		return false
	})
	return bytes
}

// parseCacheSize reads the size file of /sys/devices/system/cpu: "32K", "16M".
func parseCacheSize(size string) int {
	size = strings.TrimSpace(size)
	shift := 0
	for suffix, s := range map[string]int{"K": 10, "M": 20, "G": 30} {
		if rest, ok := strings.CutSuffix(size, suffix); ok {
			size, shift = rest, s
			break
		}
	}
	n, err := strconv.Atoi(size)
	if err != nil || n <= 0 || n > 1<<20 {
		return 0
	}
	return n << shift
}

// parseGovernors joins the governors of all cores: "performance", or
// "performance, powersave" where they differ.
func parseGovernors(texts []string) string {
	var names []string
	for _, t := range texts {
		if name := clean(t); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// parseQuota reads cpu.max of a control group: "150000 100000" is 1.5
// processors. It is 0 where there is no limit.
func parseQuota(cpuMax string) float64 {
	f := strings.Fields(cpuMax)
	if len(f) != 2 {
		return 0
	}
	quota, err1 := strconv.ParseFloat(f[0], 64)
	period, err2 := strconv.ParseFloat(f[1], 64)
	if err1 != nil || err2 != nil || !(quota > 0 && quota < 1e12) || !(period >= 1 && period < 1e12) {
		return 0
	}
	return quota / period
}

// hypervisors names what processors and firmware say of themselves.
var hypervisors = []struct{ says, name string }{
	{"TCGTCGTCGTCG", "QEMU without KVM"}, // an emulator: its timings mean little
	{"KVM", "KVM"},
	{"linux,kvm", "KVM"},
	{"Microsoft Hv", "Hyper-V"},
	{"Microsoft Corporation Virtual Machine", "Hyper-V"}, // the firm sells real ones too
	{"VMware", "VMware"},
	{"Xen", "Xen"},
	{"xen", "Xen"},
	{"VBox", "VirtualBox"},
	{"innotek", "VirtualBox"},
	{"VirtualBox", "VirtualBox"},
	{"prl hyperv", "Parallels"},
	{"lrpepyh vr", "Parallels"},
	{"Parallels", "Parallels"},
	{"bhyve", "bhyve"},
	{"ACRNACRNACRN", "ACRN"},
	{"Apple Virtualization", "Apple Virtualization"},
	{"Amazon EC2", "Amazon EC2"},
	{"Google Compute Engine", "Google Compute Engine"},
	{"QEMU", "QEMU"},
	{"Virtual Machine", "virtual machine"},
}

// hypervisor names the hypervisor in the text of an identification, or "".
func hypervisor(text string) string {
	text = clean(text)
	if strings.Contains(text, ".metal") { // Amazon's machines without one
		return ""
	}
	for _, h := range hypervisors {
		if strings.Contains(text, h.says) {
			return h.name
		}
	}
	return ""
}
