package terminal

import (
	"bytes"
	"os"
	"testing"

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
		if got := cut("5s left, cällé", width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}
