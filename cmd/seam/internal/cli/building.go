package cli

import (
	"fmt"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

const (
	buildLook     = 200 * time.Millisecond // between two looks at what is built
	buildPatience = time.Second            // builds that take less aren't worth a word
)

// sayBuilding says on a terminal what the go command is compiling, until a program is
// linked: from then on the terminal is the program's. The function that it returns ends it.
func (s *session) sayBuilding() (stop func()) {
	show, clear := terminal.Status(s.stderr)
	if show == nil {
		return func() {}
	}
	width := terminal.Of(s.stderr).Width
	look := time.NewTicker(buildLook)
	t := buildTalk{
		began: time.Now(), look: look.C, quit: make(chan struct{}), see: gotool.Building,
		show: func(what string) { show(terminal.Cut(what, width-1)) }, clear: clear,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer look.Stop()
		t.run()
	}()
	return func() {
		close(t.quit)
		<-done
	}
}

// A buildTalk tells of a build.
type buildTalk struct {
	began time.Time
	look  <-chan time.Time
	quit  chan struct{}
	see   func() gotool.Build
	show  func(what string)
	clear func()
}

// run shows nothing when it returns.
func (t *buildTalk) run() {
	shown := false
	defer func() {
		if shown {
			t.clear()
		}
	}()
	for {
		var took time.Duration
		select {
		case <-t.quit:
			return
		case now := <-t.look:
			took = now.Sub(t.began)
		}
		switch b := t.see(); {
		case b.Over:
			return
		case b.Doing != "" && took >= buildPatience:
			t.show(fmt.Sprintf("seam: building (%d s): %s", int(took.Seconds()), b.Doing))
			shown = true
		}
	}
}
