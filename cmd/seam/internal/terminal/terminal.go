// Package terminal finds out how much may be done where a text is shown, and
// shows on a terminal what is going on.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// A Screen is where text is shown.
type Screen struct {
	text.Options
	Interactive bool // a terminal on which lines can be overwritten
}

// plainWidth is the width of text that goes to a file or a pipe.
const plainWidth = 100

// Of looks at where w leads, and at NO_COLOR, TERM and COLUMNS.
func Of(w io.Writer) Screen {
	s := Screen{Options: text.Options{Width: plainWidth}}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		s.Width = n
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
		s.Width = n
	}
	s.Interactive = os.Getenv("TERM") != "dumb"
	s.Colour = s.Interactive && os.Getenv("NO_COLOR") == ""
	return s
}

// eraseLine empties the line that the cursor is in.
const eraseLine = "\r\x1b[K"

// Status shows what is going on in a line of its own, which clear takes away. On
// anything but a terminal show is nil and clear does nothing.
func Status(w io.Writer) (show func(what string), clear func()) {
	if !Of(w).Interactive {
		return nil, func() {}
	}
	clear = func() { fmt.Fprint(w, eraseLine) }
	return func(what string) {
		clear()
		fmt.Fprint(w, what)
	}, clear
}
