package results

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Here begins the result of a command on this machine, now.
func Here(command string) Result {
	r := Result{Head: map[string]string{}}
	r.Set("command", command)
	r.Set("machine", fmt.Sprintf("%s, %d processors", processor(), runtime.NumCPU()))
	r.Set("go", runtime.Version())
	r.Set("date", time.Now().UTC().Format(time.DateOnly))
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		first, _, _ := strings.Cut(string(load), " ")
		r.Set("load", first) // the minute's before the command ends
	}
	return r
}

// processor is its name, where the system tells it.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, name, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(name)
		}
	}
	return runtime.GOARCH
}

// Add adds a row. An interval that doesn't hold the value, as of one round, is none.
func (r *Result) Add(name, unit string, value, low, high float64) {
	if !(low <= value && value <= high) || low == 0 && high > 1e300 {
		low, high = value, value
	}
	r.Rows = append(r.Rows, Row{name, unit, value, low, high})
}
