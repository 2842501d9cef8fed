package filecache

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What these tests start other processes of themselves for.
func TestMain(m *testing.M) {
	switch what := os.Getenv("SEAM_TEST_CACHE"); what {
	case "":
		os.Exit(m.Run())
	case "killed":
		_, err := must(Open("test")).Path(KeyOf("key"), func(path string) error {
			if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
				return err
			}
			self := must(os.FindProcess(os.Getpid()))
			if err := self.Kill(); err != nil {
				return err
			}
			time.Sleep(time.Minute)
			return nil
		})
		panic(err)
	case "busy":
		busy(must(Open("test")))
	default:
		panic(what)
	}
}

// helper is such a process.
func helper(t *testing.T, what string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "SEAM_TEST_CACHE="+what)
	cmd.Stderr = &bytes.Buffer{}
	return cmd
}

// busy makes, reads and removes a few entries many times.
func busy(c *Cache) {
	for i := range 100 {
		data := strings.Repeat(fmt.Sprint(i%3), 10000)
		key := KeyOf("data", data)
		if got, ok := c.Get(key); ok && string(got) != data {
			panic(fmt.Sprintf("%d bytes of data", len(got)))
		}
		if err := c.Put(key, []byte(data)); err != nil {
			panic(err)
		}
		// A folder has two files or is not there, however others make and remove it.
		folder := must(c.Path(KeyOf("folder"), func(path string) error {
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			for _, name := range []string{"a", "b"} {
				if err := os.WriteFile(filepath.Join(path, name), []byte(data), 0o600); err != nil {
					return err
				}
			}
			return nil
		}))
		checkWhole(folder)
		if i%10 == 0 {
			c.trim(15000)
		}
	}
}

func checkWhole(folder string) {
	f, err := os.Open(folder)
	if err != nil {
		return // somebody has trimmed it
	}
	defer f.Close()
	names, gone := f.Readdirnames(-1)
	now, err := os.Lstat(folder)
	if err == nil && gone == nil && os.SameFile(now, must(f.Stat())) && len(names) != 2 {
		panic(fmt.Sprintf("a folder has %q", names))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
