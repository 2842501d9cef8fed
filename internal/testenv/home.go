package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

// Home gives the test an empty home directory, with the go command's telemetry off.
// Otherwise the first go command that finds no telemetry there leaves a process behind
// which writes to it when the test may have ended, and can't be waited for.
func Home(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("AppData", home) // Windows has the settings there
	config, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	mode := filepath.Join(config, "go", "telemetry", "mode")
	if err := os.MkdirAll(filepath.Dir(mode), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mode, []byte("off\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return home
}
