package frames

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// nameColumn is for names of functions. They are shortened by their packages, then cut.
func nameColumn(head string) *text.Column {
	return &text.Column{Head: head, Left: true, Least: 14, End: true}
}

// addName adds a name behind what is never cut.
func addName(c *text.Column, before, name string) {
	text.Add([]*text.Column{c}, before+name)
	c.Short = append(c.Short, before+bare(name))
}

// placeColumn is for lines of files. They are shortened by their folders; without its
// number a line is worth nothing.
func placeColumn(head string) *text.Column { return &text.Column{Head: head, Left: true} }

func addPlace(c *text.Column, place string) {
	file := place[strings.LastIndexByte(place, '/')+1:]
	text.Add([]*text.Column{c}, place)
	c.Short = append(c.Short, file)
	c.Least = max(c.Least, 1, lipgloss.Width(file))
}
