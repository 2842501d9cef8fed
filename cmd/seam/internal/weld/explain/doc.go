// Package explain shows how a C call travels from the line of Go that makes it,
// through cgo's generated code and the runtime, into C, and what changes when the
// function is welded.
//
// Nothing is guessed: the generated code is cgo's, the compiler says what escapes,
// and figures come from a run of seam lab and from a trace, or are left out.
package explain

import "github.com/seamgo/seam/cmd/seam/internal/chart"

// A Doc is what is shown, as text or as a page.
type Doc struct {
	Kicker   string // above the title: the package
	Title    string
	Lead     string
	Facts    []Fact
	Warnings []string
	Sections []Section
}

// A Fact is a property of what is explained.
type Fact struct{ Name, Value string }

// A Section is one step of the call.
type Section struct {
	Title  string
	Blocks []Block
}

// A Block is a part of a section: one of its fields is set.
type Block struct {
	Text  string // a paragraph
	Note  string // a paragraph that may be skipped
	Code  *Code
	Table *Table
	Bytes *chart.Bytes
}

// Code is lines of a program, some with a number, and what the numbers mean.
type Code struct {
	Caption string
	Lines   []Line
	Notes   []string // note n is that of Mark n+1
}

// A Line is a line of code. Mark is the number of its note; 0 for none.
type Line struct {
	Text string
	Mark int
}

// Table is cells under heads. All rows are as long as Head.
type Table struct {
	Head  []string
	Right []bool // the column holds numbers
	Code  []bool // the column holds code
	Wide  int    // the column that shrinks where there is little room
	Rows  [][]string
	Last  bool // the last row is a sum
}

// Kind says what bytes are for.
type Kind string

// The kinds.
const (
	Argument Kind = "argument"
	Result   Kind = "result"
	Padding  Kind = "padding"
)

func prose(s string) Block { return Block{Text: s} }
func note(s string) Block  { return Block{Note: s} }

func (s *Section) add(b ...Block) { s.Blocks = append(s.Blocks, b...) }
