package machine

import (
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/klauspost/cpuid/v2"
)

// Read returns the facts of this machine, as they are now: the load is that of
// the moment.
func Read() Facts {
	root := os.DirFS("/")
	f := fromFiles(root)
	fromProcessor(&f, cpuid.CPU)
	fromControlGroup(&f, root)
	fromEnvironment(&f, os.Getenv)
	f.Cores = cores()
	f.Kernel = kernel()
	f.GOOS = runtime.GOOS
	f.GOARCH = runtime.GOARCH
	f.Go = runtime.Version()
	f.GOMAXPROCS = runtime.GOMAXPROCS(0)
	return f
}

// fromProcessor fills in what the processor itself tells. On x86 that is
// everything, and it wins over files; on others nearly nothing.
func fromProcessor(f *Facts, cpu cpuid.CPUInfo) {
	if name := clean(cpu.BrandName); name != "" {
		f.CPU = name
	}
	for _, c := range []struct {
		to   *int
		size int
	}{
		{&f.CacheL1D, cpu.Cache.L1D},
		{&f.CacheL1I, cpu.Cache.L1I},
		{&f.CacheL2, cpu.Cache.L2},
		{&f.CacheL3, cpu.Cache.L3},
	} {
		if c.size > 0 {
			*c.to = c.size
		}
	}
	switch name := hypervisor(cpu.HypervisorVendorString); {
	case name != "":
		f.Virtual = name
	case f.Virtual != "":
	case clean(cpu.HypervisorVendorString) != "":
		f.Virtual = clean(cpu.HypervisorVendorString)
	case cpu.VM():
		f.Virtual = "unknown hypervisor"
	}
}

// fromFiles reads /proc and /sys below root. On systems without them every fact
// but the load stays empty.
func fromFiles(root fs.FS) Facts {
	f := Facts{
		CPU:     parseCPUName(read(root, "proc/cpuinfo")),
		Memory:  parseMemory(read(root, "proc/meminfo")),
		Load:    parseLoad(read(root, "proc/loadavg")),
		Scaling: parseGovernors(readAll(root, "sys/devices/system/cpu/cpufreq/policy*/scaling_governor")),
	}
	if f.CPU == "" {
		f.CPU = parseDeviceTree(read(root, "proc/device-tree/model"))
	}
	const caches = "sys/devices/system/cpu/cpu0/cache"
	indexes, _ := fs.Glob(root, caches+"/index*") // the pattern is well formed
	for _, dir := range indexes {
		size := parseCacheSize(read(root, dir+"/size"))
		switch clean(read(root, dir+"/level")) + clean(read(root, dir+"/type")) {
		case "1Data":
			f.CacheL1D = size
		case "1Instruction":
			f.CacheL1I = size
		case "2Unified":
			f.CacheL2 = size
		case "3Unified":
			f.CacheL3 = size
		}
	}
	const dmi = "sys/devices/virtual/dmi/id/"
	for _, text := range []string{
		read(root, dmi+"sys_vendor") + " " + read(root, dmi+"product_name"),
		read(root, "proc/device-tree/hypervisor/compatible"),
		read(root, "sys/hypervisor/type"),
	} {
		if f.Virtual == "" {
			f.Virtual = hypervisor(text)
		}
	}
	return f
}

// read returns the start of a file, or "". Files of /proc and /sys tell no size.
func read(root fs.FS, name string) string {
	file, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	const most = 64 << 10
	text, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return ""
	}
	return string(text)
}

func readAll(root fs.FS, pattern string) []string {
	names, err := fs.Glob(root, pattern)
	if err != nil {
		return nil
	}
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = read(root, name)
	}
	return texts
}
