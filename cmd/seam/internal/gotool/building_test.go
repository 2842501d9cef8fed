package gotool

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestTellTool(t *testing.T) {
	const sqlite = "/home/ada/go/pkg/mod/github.com/mattn/go-sqlite3@v1.14.39"
	for _, c := range []struct {
		line, dir, doing string
		over             bool
	}{
		{"go build ./...", "/src", "", false},
		{"/usr/local/go/pkg/tool/linux_amd64/compile -o $WORK/b2/_pkg_.a -p net/http -complete", "/usr/local/go/src/net/http", "net/http", false},
		{"/bin/seam toolexec /usr/local/go/pkg/tool/linux_amd64/link -o a.out", "/src", "", false},
		{"/usr/local/go/pkg/tool/linux_amd64/cgo -objdir $WORK/b3/ -importpath example.org/db db.go", "/src/db", "example.org/db", false},
		{"gcc -I . -O2 -c sqlite3-binding.c", sqlite, "", false},
		{"/usr/lib/gcc/x86_64-linux-gnu/14/cc1 -quiet -I . sqlite3-binding.c -o /tmp/cc.s", sqlite, "sqlite3-binding.c of github.com/mattn/go-sqlite3@v1.14.39", false},
		{"/usr/bin/clang-19 -cc1 -triple x86_64 -main-file-name a.cc a.cc", "/src/db", "a.cc of db", false},
		{"/usr/libexec/gcc/x86_64-linux-gnu/14/cc1 -quiet _cgo_main.c", "/tmp/go-build12/b065", "_cgo_main.c", false},
		{"/usr/libexec/gcc/x86_64-linux-gnu/14/collect2 -o _cgo_.o", "/src", "", false},
		{"/usr/local/go/pkg/tool/linux_amd64/link -o $WORK/b1/exe/a.out", "/src", "", true},
		{"/tmp/go-build12/b001/exe/server -listen :80", "/src", "", true},
		{"/tmp/go-build12/b001/db.test -test.v", "/src", "", true},
	} {
		doing, over := tellTool(strings.Fields(c.line), c.dir)
		if doing != c.doing || over != c.over {
			t.Errorf("%s\n\t%q, over: %t; want %q, %t", c.line, doing, over, c.doing, c.over)
		}
	}
}

// A program of the user's ends the talk of building.
func TestBuildingSeesPrograms(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are told by /proc")
	}
	program := exec.Command("sleep", "600")
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	defer program.Wait() //nolint:errcheck // it is killed
	defer program.Process.Kill()
	for patience := time.Now().Add(time.Minute); !Building().Over; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(patience) {
			t.Fatal("a running program is taken for a part of the build")
		}
	}
}
