package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type version struct{}

func (version) examples() string { return "Examples:\n  seam version\n" }

func (version) Run(s *session) error {
	_, err := fmt.Fprintf(s.stdout, "seam %s %s %s/%s\n", toolVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// toolVersion is the version of this build of seam: its module's version, or
// the commit it was built from.
func toolVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	if v != "(devel)" {
		return v
	}
	if commit := buildSetting("vcs.revision"); commit != "" {
		v = "devel-" + commit[:min(12, len(commit))]
		if buildSetting("vcs.modified") == "true" {
			v += "+dirty"
		}
	}
	return v
}

// buildSetting is what the go command was told when it built this program.
func buildSetting(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
