package cli

import (
	"slices"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// talk runs a buildTalk, which looks once a second and sees these, and returns what it did.
func talk(sees ...gotool.Build) (did []string) {
	look := make(chan time.Time)
	t := buildTalk{
		look: look, quit: make(chan struct{}),
		show:  func(what string) { did = append(did, what) },
		clear: func() { did = append(did, "clear") },
	}
	next := 0
	t.see = func() gotool.Build { next++; return sees[next-1] }
	over := make(chan struct{})
	go func() {
		defer close(over)
		t.run()
	}()
	for i := range sees {
		select {
		case look <- t.began.Add(time.Duration(i) * time.Second):
		case <-over:
		}
	}
	close(t.quit)
	<-over
	return did
}

func TestBuildTalk(t *testing.T) {
	doing := func(what string) gotool.Build { return gotool.Build{Doing: what} }
	program := gotool.Build{Over: true}
	for name, c := range map[string]struct {
		sees []gotool.Build
		did  []string
	}{
		"a short build says nothing":           {[]gotool.Build{doing("fmt"), program}, nil},
		"nothing is built":                     {[]gotool.Build{{}, {}, {}}, nil},
		"a build that ends without a program":  {[]gotool.Build{{}, doing("fmt"), doing("os")}, []string{"seam: building (1 s): fmt", "seam: building (2 s): os", "clear"}},
		"the terminal belongs to the program":  {[]gotool.Build{{}, doing("fmt"), program, doing("os")}, []string{"seam: building (1 s): fmt", "clear"}},
		"what was seen last stands in between": {[]gotool.Build{{}, doing("fmt"), {}, {}}, []string{"seam: building (1 s): fmt", "clear"}},
	} {
		if did := talk(c.sees...); !slices.Equal(did, c.did) {
			t.Errorf("%s: %q, want %q", name, did, c.did)
		}
	}
}
