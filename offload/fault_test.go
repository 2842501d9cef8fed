//go:build cgo && unix

package offload_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

// What ends the program, each in a child process.
var faults = map[string]unsafe.Pointer{"segv": ctest.SegvFn, "abort": ctest.AbortFn}

func TestMain(m *testing.M) {
	if fn, ok := faults[os.Getenv("SEAM_TEST_FAULT")]; ok {
		p, err := offload.New(offload.Options{})
		if err == nil {
			_, err = p.Do(background, fn, nil)
		}
		fmt.Println("RETURNED", err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A crash in C gives the runtime's report, as one in a cgo call does.
func TestFaults(t *testing.T) {
	for fault, want := range map[string]string{"segv": "SIGSEGV: segmentation violation", "abort": "SIGABRT: abort"} {
		for _, path := range []string{"auto", "cgo"} {
			t.Run(fault+"/"+path, func(t *testing.T) {
				cmd := child.Self(t)
				cmd.Env = append(os.Environ(), "SEAM_TEST_FAULT="+fault, "SEAM_OFFLOAD="+path)
				out, err := cmd.CombinedOutput()
				text := string(out)
				if err == nil || strings.Contains(text, "RETURNED") {
					t.Errorf("the child went on: %v", err)
				}
				lines := []string{want, "signal arrived during cgo execution", "work(", "goroutine ", "offload.(*Pool).Do("}
				if asan && fault == "segv" {
					lines = []string{"AddressSanitizer: SEGV"} // whose report it is then
				}
				for _, line := range lines {
					if !strings.Contains(text, line) {
						t.Errorf("the report has no %q:\n%s", line, text)
					}
				}
			})
		}
	}
}
