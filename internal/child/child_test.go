//seam:test toolchains metal

package child

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	switch os.Getenv("SEAM_TEST_CHILD") {
	case "hangs":
		hang()
	case "echo":
		os.Stdout.WriteString(strings.Join(os.Args[1:], " "))
		os.Exit(7)
	}
	os.Exit(m.Run())
}

func hang() {
	os.Stdout.WriteString("here\n")
	time.Sleep(time.Hour) // select {} would be a deadlock that the runtime reports
}

func TestSelf(t *testing.T) {
	cmd := Self(t, "a", "b c")
	cmd.Env = append(os.Environ(), "SEAM_TEST_CHILD=echo")
	out, err := cmd.Output()
	if string(out) != "a b c" || err == nil || cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("the child ended with %v and said %q", err, out)
	}
}

// A child that hangs says where.
func TestHang(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGQUIT")
	}
	bin, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for limit := 3 * time.Second; ; limit *= 10 { // it may not have begun
		cmd := limited(t, limit, append(Emulator(), bin))
		cmd.Env = append(os.Environ(), "SEAM_TEST_CHILD=hangs")
		out, err := cmd.CombinedOutput()
		if err != nil && strings.HasPrefix(string(out), "here\n") && strings.Contains(string(out), "child.hang()") {
			break
		}
		if limit > 10*time.Second {
			t.Fatalf("the child ended with %v and said:\n%s", err, out)
		}
	}
}

// A soak takes hours, and so may its children.
func TestPatience(t *testing.T) {
	if _, ok := t.Deadline(); !ok {
		t.Skip("this test has no time limit")
	}
	for _, name := range []string{"SEAM_STRESS", "SEAM_SOAK"} {
		t.Setenv(name, "")
	}
	if got := patience(t); got != Limit {
		t.Errorf("a child has %v, want %v", got, Limit)
	}
	t.Setenv("SEAM_STRESS", "1e10")
	deadline, _ := t.Deadline()
	if got := patience(t); got < Limit || got > max(Limit, time.Until(deadline)) {
		t.Errorf("a child of a soak has %v", got)
	}
}
