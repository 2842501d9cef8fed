//seam:test race

package terminal

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

func TestScreen(t *testing.T) {
	t.Setenv("COLUMNS", "")
	if s := Of(&bytes.Buffer{}); s != (Screen{Options: text.Options{Width: plainWidth}}) {
		t.Errorf("a buffer is %+v", s)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	t.Setenv("COLUMNS", "61")
	if s := Of(w); s != (Screen{Options: text.Options{Width: 61}}) {
		t.Errorf("a pipe with COLUMNS=61 is %+v", s)
	}
	if NewBar(w) != nil {
		t.Error("a progress bar in a pipe")
	}
}

func TestCut(t *testing.T) {
	for width, want := range map[int]string{-5: "5s left, …", 12: "5s left, cä…", 14: "5s left, cällé", 20: "5s left, cällé"} {
		if got := Cut("5s left, cällé", width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	for want, p := range map[string]Progress{
		"   0% |                    |  10s left, call": {Left: 10 * time.Second, Doing: "call"},
		"  50% |██████████          |  10s left, call": {Elapsed: 10 * time.Second, Left: 10 * time.Second, Doing: "call"},
		"  99% |███████████████████ |  0s left, call":  {Elapsed: 10 * time.Second, Doing: "call"},
	} {
		if got := p.line(80); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}
