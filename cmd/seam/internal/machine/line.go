package machine

import (
	"fmt"
	"strings"
)

// Line describes the machine in two lines for people: the hardware, then the
// system and its state.
func (f Facts) Line() string {
	hardware := []string{f.CPU}
	if f.CPU == "" {
		hardware[0] = "unknown processor"
	}
	if f.Cores > 0 {
		hardware = append(hardware, count(f.Cores, "core"))
	}
	for _, c := range []struct {
		name string
		size int
	}{{"L1d", f.CacheL1D}, {"L1i", f.CacheL1I}, {"L2", f.CacheL2}, {"L3", f.CacheL3}} {
		if c.size > 0 {
			hardware = append(hardware, c.name+" "+bytes(int64(c.size)))
		}
	}
	if f.Memory > 0 {
		hardware = append(hardware, bytes(f.Memory)+" of memory")
	}
	if f.Virtual != "" {
		hardware = append(hardware, "virtual machine ("+f.Virtual+")")
	}

	var system []string
	if f.Kernel != "" {
		system = append(system, f.Kernel)
	}
	if f.Go != "" {
		system = append(system, strings.TrimSpace(f.Go+" "+platform(f)))
	}
	if f.GOMAXPROCS > 0 {
		system = append(system, fmt.Sprintf("GOMAXPROCS %d", f.GOMAXPROCS))
	}
	if f.Scaling != "" {
		system = append(system, "frequency governor "+f.Scaling)
	} else {
		system = append(system, "frequency scaling not told")
	}
	if f.Load >= 0 {
		system = append(system, fmt.Sprintf("load %.2f", f.Load))
	}
	return strings.Join(hardware, ", ") + "\n" + strings.Join(system, ", ")
}

func platform(f Facts) string {
	if f.GOOS == "" || f.GOARCH == "" {
		return f.GOOS + f.GOARCH
	}
	return f.GOOS + "/" + f.GOARCH
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// bytes formats a size in the largest unit that keeps it at 1 or more.
func bytes(n int64) string {
	v, unit := float64(n), "B"
	for _, next := range []string{"KB", "MB", "GB", "TB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, next
	}
	if v < 10 && v != float64(int64(v)) {
		return fmt.Sprintf("%.1f %s", v, unit)
	}
	return fmt.Sprintf("%.0f %s", v, unit)
}
