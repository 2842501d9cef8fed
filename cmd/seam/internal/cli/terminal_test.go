//go:build linux && (amd64 || arm64) && cgo

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	testchild "github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

// A program gets a signal once: a Ctrl-C at the terminal from the terminal, and what is sent to
// seam alone from seam, as what it is.
func TestProfSignalsOnce(t *testing.T) {
	testenv.OtherProgram(t)
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/signals\n\ngo 1.25.0\n",
		"main.go": `package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	c := make(chan os.Signal, 10)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
	fmt.Println("ready")
	fmt.Println("got", <-c)
	select {
	case s := <-c:
		fmt.Println("and", s)
	case <-time.After(500 * time.Millisecond):
	}
	fmt.Println("over")
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exe := builtForProf(t, dir, "signals")
	for _, c := range []struct {
		send func(p *os.Process, terminal io.Writer) error
		want string
	}{
		{func(_ *os.Process, terminal io.Writer) error { _, err := terminal.Write([]byte{3}); return err }, "got interrupt"},
		{func(p *os.Process, _ io.Writer) error { return p.Signal(syscall.SIGTERM) }, "got terminated"},
	} {
		terminal, slave := openTerminal(t)
		cmd := testchild.Self(t, "prof", "--", exe)
		cmd.Env = append(os.Environ(), programEnv+"="+ownWords)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		slave.Close()
		text := readTo(t, terminal, "ready")
		if err := c.send(cmd.Process, terminal); err != nil {
			t.Fatal(err)
		}
		text += readTo(t, terminal, "over")
		terminal.Close() // what is written to it from here on is lost
		_ = cmd.Wait()
		if !strings.Contains(text, c.want) || strings.Contains(text, "and ") {
			t.Errorf("want %q once:\n%s", c.want, text)
		}
	}
}

func openTerminal(t *testing.T) (terminal, slave *os.File) {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return terminal, slave
}

// readTo reads until a word has come.
func readTo(t *testing.T, from io.Reader, word string) string {
	t.Helper()
	var text strings.Builder
	done := make(chan error, 1)
	go func() {
		var b [1]byte
		for !strings.HasSuffix(text.String(), word) {
			if _, err := from.Read(b[:]); err != nil {
				done <- err
				return
			}
			text.WriteByte(b[0])
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("no %q: %v in\n%s", word, err, text.String())
		}
	case <-time.After(150 * time.Second):
		t.Fatalf("no %q in 150 seconds", word)
	}
	return text.String()
}
