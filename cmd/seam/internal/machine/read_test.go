package machine

import (
	"io/fs"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/cpuid/v2"
)

func tree(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestFromFiles(t *testing.T) {
	const cpu = "sys/devices/system/cpu/"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  Facts
	}{
		{"nothing to read", nil, Facts{Load: -1}},
		{"arm64 cloud", map[string]string{
			"proc/cpuinfo":                                "CPU implementer\t: 0x41\nCPU part\t: 0xd4f\n",
			"proc/meminfo":                                "MemTotal: 1024 kB\n",
			"proc/loadavg":                                "0.50 0.1 0.1 1/2 3\n",
			cpu + "cpu0/cache/index0/level":               "1\n",
			cpu + "cpu0/cache/index0/type":                "Data\n",
			cpu + "cpu0/cache/index0/size":                "64K\n",
			cpu + "cpu0/cache/index1/level":               "1\n",
			cpu + "cpu0/cache/index1/type":                "Instruction\n",
			cpu + "cpu0/cache/index1/size":                "64K\n",
			cpu + "cpu0/cache/index2/level":               "2\n",
			cpu + "cpu0/cache/index2/type":                "Unified\n",
			cpu + "cpu0/cache/index2/size":                "2048K\n",
			cpu + "cpu0/cache/index3/level":               "3\n",
			cpu + "cpu0/cache/index3/type":                "Unified\n",
			cpu + "cpu0/cache/index3/size":                "36M\n",
			cpu + "cpufreq/policy0/scaling_governor":      "schedutil\n",
			cpu + "cpufreq/policy4/scaling_governor":      "schedutil\n",
			"sys/devices/virtual/dmi/id/sys_vendor":       "Amazon EC2\n",
			"sys/devices/virtual/dmi/id/product_name":     "c8g.large\n",
			"sys/devices/virtual/dmi/id/unrelated/folder": "",
		}, Facts{CPU: "Arm Neoverse V2", Memory: 1 << 20, Load: 0.5, CacheL1D: 64 << 10, CacheL1I: 64 << 10,
			CacheL2: 2 << 20, CacheL3: 36 << 20, Scaling: "schedutil", Virtual: "Amazon EC2"}},
		{"name from the device tree", map[string]string{
			"proc/device-tree/model":                 "Board X\x00",
			"proc/device-tree/hypervisor/compatible": "linux,kvm\x00",
		}, Facts{CPU: "Board X", Load: -1, Virtual: "KVM"}},
		{"rubbish", map[string]string{
			"proc/cpuinfo":                    "\xff\xfe\x00:::\n:\n",
			"proc/meminfo":                    strings.Repeat("MemTotal", 1<<15),
			"proc/loadavg/is/a/folder":        "",
			cpu + "cpu0/cache/index0/level":   "1",
			cpu + "cpu0/cache/index0/type":    "Data",
			cpu + "cpu0/cache/index0/size":    "-64K",
			cpu + "cpu0/cache/index9":         "a file",
			"sys/hypervisor/type":             "\x1b[2J",
			cpu + "cpufreq/policy0/unrelated": "",
		}, Facts{Load: -1}},
	} {
		if got := fromFiles(tree(c.files)); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func TestProcessorWinsOverFiles(t *testing.T) {
	cpu := cpuid.CPUInfo{BrandName: "AMD  EPYC\x00", HypervisorVendorString: "KVMKVMKVM\x00"}
	cpu.Cache.L1D, cpu.Cache.L1I, cpu.Cache.L2, cpu.Cache.L3 = 32<<10, -1, 512<<10, 0
	f := Facts{CPU: "other", CacheL1I: 64, CacheL3: 128, Virtual: "Amazon EC2"}
	fromProcessor(&f, cpu)
	want := Facts{CPU: "AMD EPYC", CacheL1D: 32 << 10, CacheL1I: 64, CacheL2: 512 << 10, CacheL3: 128, Virtual: "KVM"}
	if f != want {
		t.Errorf("got %+v\nwant %+v", f, want)
	}
	f = Facts{CPU: "Arm", Virtual: "KVM"}
	fromProcessor(&f, cpuid.CPUInfo{})
	if want := (Facts{CPU: "Arm", Virtual: "KVM"}); f != want {
		t.Errorf("a silent processor changed %+v to %+v", want, f)
	}
	fromProcessor(&f, cpuid.CPUInfo{HypervisorVendorString: "ACME"})
	if f.Virtual != "KVM" {
		t.Errorf("an unknown hypervisor hides the one in the files: %q", f.Virtual)
	}
}

func TestReadFillsWhatEverySystemHas(t *testing.T) {
	f := Read()
	if f.Cores < 1 || f.GOMAXPROCS < 1 || f.GOOS != runtime.GOOS || f.GOARCH != runtime.GOARCH || f.Go != runtime.Version() {
		t.Errorf("%+v", f)
	}
	if _, err := os.Stat("/proc/meminfo"); err == nil && (f.Memory == 0 || f.Kernel == "") {
		t.Errorf("a system with /proc tells memory and kernel: %+v", f)
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		name  string
		facts Facts
		want  string
	}{
		{"all", Facts{CPU: "AMD EPYC", Cores: 2, CacheL1D: 32 << 10, CacheL1I: 32 << 10, CacheL2: 512 << 10, CacheL3: 48 << 20,
			Memory: 8039952 << 10, Kernel: "Linux 6.12.9", GOOS: "linux", GOARCH: "amd64", Go: "go1.26.8", GOMAXPROCS: 2,
			Virtual: "KVM", Scaling: "performance", Load: 0.42},
			"AMD EPYC, 2 cores, L1d 32 KiB, L1i 32 KiB, L2 512 KiB, L3 48 MiB, memory 7.67 GiB, virtual machine KVM\n" +
				"Linux 6.12.9, go1.26.8 linux/amd64, GOMAXPROCS 2, frequency scaling performance, load at start 0.42"},
		{"nothing known", Facts{Load: -1}, "unknown processor, virtual machine none seen\nfrequency scaling unknown, load at start not known"},
		{"one core", Facts{CPU: "x", Cores: 1, CacheL2: 1280 << 10, Go: "go1.25.0", GOOS: "darwin", GOARCH: "arm64"},
			"x, 1 core, L2 1.25 MiB, virtual machine none seen\n" +
				"go1.25.0 darwin/arm64, frequency scaling unknown, load at start 0.00"},
	} {
		if got := c.facts.Line(); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func whats(limits []Limit) []string {
	var names []string
	for _, l := range limits {
		names = append(names, l.What)
	}
	return names
}

func TestLimitsFromFacts(t *testing.T) {
	good := Facts{Cores: 4, GOMAXPROCS: 4, Scaling: "performance", Load: 0.1}
	with := func(change func(*Facts)) Facts {
		f := good
		change(&f)
		return f
	}
	for _, c := range []struct {
		name  string
		facts Facts
		cpus  int
		want  []string
	}{
		{"a good machine", good, 4, nil},
		{"load unknown", with(func(f *Facts) { f.Load = -1 }), 4, nil},
		{"one core", with(func(f *Facts) { f.Cores, f.GOMAXPROCS = 1, 1 }), 1, []string{"two things running at the same time"}},
		{"GOMAXPROCS", with(func(f *Facts) { f.GOMAXPROCS = 1 }), 4, []string{"all usable cores"}},
		{"no governor", with(func(f *Facts) { f.Scaling = "" }), 4, []string{"the clock frequency"}},
		{"saving power", with(func(f *Facts) { f.Scaling = "powersave" }), 4, []string{"times at a fixed clock frequency"}},
		{"busy", with(func(f *Facts) { f.Load = 2.1 }), 4, []string{"times of a quiet machine"}},
		{"virtual", with(func(f *Facts) { f.Virtual = "KVM" }), 4, []string{"system calls and interrupts as on bare hardware"}},
	} {
		got := fromFacts(c.facts, c.cpus)
		if !slices.Equal(whats(got), c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		for _, l := range got {
			if l.Why == "" || l.Fix == "" {
				t.Errorf("%s: says too little: %+v", c.name, l)
			}
		}
	}
}

func TestQuota(t *testing.T) {
	if got := quota(0, 2); got != nil {
		t.Errorf("no limit: %v", got)
	}
	if got := quota(2, 2); got != nil {
		t.Errorf("a limit that is never reached: %v", got)
	}
	want := []Limit{{"steady times over many threads", "the control group stops this process beyond 1.5 of 4 cores",
		"lift the limit (docker --cpus, Kubernetes limits.cpu)"}}
	if got := quota(1.5, 4); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLimitsAreComplete(t *testing.T) {
	for _, l := range Limits() {
		if l.What == "" || l.Why == "" {
			t.Errorf("says too little: %+v", l)
		}
	}
}
