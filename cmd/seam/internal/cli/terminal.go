package cli

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// A screen is how much may be done where a text is shown.
type screen struct {
	text.Options
	terminal bool
}

// plainWidth is the width of text that goes to a file or a pipe.
const plainWidth = 100

// screenOf looks at where w leads, and at NO_COLOR, TERM and COLUMNS.
func screenOf(w io.Writer) screen {
	s := screen{Options: text.Options{Width: plainWidth}}
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
	s.terminal = os.Getenv("TERM") != "dumb"
	s.Colour = s.terminal && os.Getenv("NO_COLOR") == ""
	return s
}
