// Package machine says what computer a measurement was made on, and what that
// computer can't measure.
package machine

// Facts are the properties that move results from one machine to the next.
// A fact that can't be read is empty or 0, never guessed.
type Facts struct {
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"`               // usable by this process
	CacheL1D   int    `json:"cache_l1d,omitempty"` // bytes, one core's
	CacheL1I   int    `json:"cache_l1i,omitempty"`
	CacheL2    int    `json:"cache_l2,omitempty"`
	CacheL3    int    `json:"cache_l3,omitempty"`
	Memory     int64  `json:"memory,omitempty"` // bytes
	Kernel     string `json:"kernel"`
	GOOS       string `json:"goos"`
	GOARCH     string `json:"goarch"`
	Go         string `json:"go"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	// What the run was held to and set by: differences that no hardware explains.
	Affinity    string  `json:"affinity,omitempty"`     // processors that it may use: "0-1"
	Quota       string  `json:"cpu_quota,omitempty"`    // processors' worth of time that the control group allows: "1.5", "none"
	MemoryLimit string  `json:"memory_limit,omitempty"` // bytes that the control group allows, or "none"
	GODEBUG     string  `json:"godebug,omitempty"`      // "unset" where the variable is not set
	GOGC        string  `json:"gogc,omitempty"`
	GOMEMLIMIT  string  `json:"gomemlimit,omitempty"`
	Virtual     string  `json:"virtual,omitempty"` // hypervisor; "" means none seen
	Scaling     string  `json:"scaling,omitempty"` // frequency governor; "" means not told
	Load        float64 `json:"load"`              // 1-minute load average at the start, -1 unknown
}
