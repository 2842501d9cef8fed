//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// What C has freed, and malloc keeps, is given back when the program is idle; not without the line,
// and not if the environment says so.
func TestTrim(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "small")
	m.write("trim/main.go", `package main

/*
#include <stdlib.h>
#include <string.h>

static void churn(void)
{
	enum { N = 20000, SIZE = 4000 };
	static char *block[N];
	for (int i = 0; i < N; i++)
		memset(block[i] = malloc(SIZE), i, SIZE);
	for (int i = 0; i < N - 1; i++) // the last one keeps the arena's end
		free(block[i]);
}
*/
import "C"

import (
	"fmt"
	"os"
	"strings"
	"time"
)

func resident() (pages int) {
	text, _ := os.ReadFile("/proc/self/statm")
	fmt.Sscan(strings.Fields(string(text))[1], &pages)
	return pages
}

func main() {
	C.churn()
	before := resident()
	long, _ := time.ParseDuration(os.Args[1])
	for begin := time.Now(); time.Since(begin) < long; time.Sleep(400 * time.Millisecond) {
		if resident() < before/2 {
			fmt.Println("given back")
			return
		}
	}
	fmt.Println("kept")
}
`)
	m.write("seam.plan", "# seam.plan 1\ntrim: 200ms\n")
	m.weld("build", "-o", "w", "./trim").ok().says("after 200ms without work, the program gives free memory of C's back")
	m.run("./w", "1m").ok().prints("given back")
	m.in(t).set("SEAM_TRIM=off").run("./w", "1s").ok().prints("kept")
	m.plain("build", "-o", "p", "./trim").ok()
	m.run("./p", "1s").ok().prints("kept")
	// Beside what else is compiled into package runtime/cgo.
	for _, mode := range []string{"coro", "park"} {
		m.write("seam.plan", "# seam.plan 1\ntrim: 200ms\n"+mode+" example.com/small/trim.churn\n")
		m.weld("build", "-o", "w", "./trim").ok().says("welded 1 of 1")
		m.run("./w", "1m").ok().prints("given back")
	}
}
