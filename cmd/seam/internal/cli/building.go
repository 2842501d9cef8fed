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
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		look := time.NewTicker(buildLook)
		defer look.Stop()
		for began, shown := time.Now(), false; ; {
			select {
			case <-quit:
				if shown {
					clear()
				}
				return
			case <-look.C:
			}
			b := gotool.Building()
			took := time.Since(began)
			switch {
			case b.Over:
				if shown {
					clear()
				}
				return
			case b.Doing != "" && took > buildPatience:
				show(terminal.Cut(fmt.Sprintf("seam: building (%d s): %s", int(took.Seconds()), b.Doing), width-1))
				shown = true
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}
