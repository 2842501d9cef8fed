//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/bench/internal/command"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == peerRole {
		main()
		return
	}
	os.Exit(m.Run())
}

// Every way is measured, under the names that seam lab ring has for them.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures")
	var out, errs bytes.Buffer
	if code, err := run(t.Context(), []string{"-rounds", "1", "-size", "1024", "-o", file}, &out, &errs); code != 0 || err != nil {
		t.Fatal(code, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, op := range []string{"rtt-park", "rtt/rate=100", "rtt/rate=1000", "throughput"} {
		for _, via := range []string{"seam", "shmipc", "unix"} {
			want = append(want, op+"/via="+via+" ")
		}
	}
	for _, name := range append(want, "throughput/via=seam/batch=1 ", "throughput/via=shmipc/batch=1 ") {
		if n := strings.Count(string(text), "BenchmarkRing/mode=xproc/peer=go/size=1024/op="+name); n != 1 {
			t.Errorf("%s: %d lines of\n%s", name, n, text)
		}
	}
	if !strings.Contains(out.String(), "shmipc") {
		t.Error(out.String())
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-size", "7"}, {"-rounds", "0"}, {"more"}, {"-no"}} {
		var out, errs bytes.Buffer
		if code, err := run(context.Background(), args, &out, &errs); code != command.Usage || err == nil {
			t.Errorf("%v: %d, %v", args, code, err)
		}
	}
}
