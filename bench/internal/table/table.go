// Package table writes tables for people: with colours on a terminal, plain
// elsewhere.
package table

import (
	"io"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"golang.org/x/term"
)

// A Tone is what a cell wants to say by its colour.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Faint
	Bold
	Good
	Bad
)

var styles = map[Tone]lipgloss.Style{
	Plain: lipgloss.NewStyle(),
	Faint: lipgloss.NewStyle().Faint(true),
	Bold:  lipgloss.NewStyle().Bold(true),
	Good:  lipgloss.NewStyle().Foreground(lipgloss.Green),
	Bad:   lipgloss.NewStyle().Foreground(lipgloss.Yellow),
}

// A Cell is a text with its tone.
type Cell struct {
	Text string
	Tone Tone
}

// A Column has a heading; figures stand at its right.
type Column struct {
	Head  string
	Right bool
}

// gap is the room between columns.
const gap = 2

// Write writes the rows below the headings of the columns. Every row has a cell
// for each column.
func Write(w io.Writer, columns []Column, rows [][]Cell) error {
	colour := Colours(w)
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.Head
	}
	t := table.New().
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).
		Border(lipgloss.ASCIIBorder()).
		Headers(heads...).
		StyleFunc(func(r, c int) lipgloss.Style {
			s := lipgloss.NewStyle()
			if colour && r == table.HeaderRow {
				s = styles[Faint]
			} else if colour {
				s = styles[rows[r][c].Tone]
			}
			if c < len(columns)-1 {
				s = s.PaddingRight(gap)
			}
			if columns[c].Right {
				s = s.Align(lipgloss.Right)
			}
			return s
		})
	if colour {
		t = t.Border(lipgloss.NormalBorder()).BorderStyle(styles[Faint])
	}
	for _, r := range rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = c.Text
		}
		t = t.Row(cells...)
	}
	lines := strings.Split(t.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// Terminal reports whether w is a terminal that progress may be shown on.
func Terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// Colours reports whether what is written to w may have colours.
func Colours(w io.Writer) bool { return Terminal(w) && os.Getenv("NO_COLOR") == "" }
