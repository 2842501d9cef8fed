// Package explain shows how a C call travels: from the line of Go that makes
// it through what cgo generates and the runtime into C, and what becomes of the
// way when the function is welded.
//
// Nothing is guessed: the generated code is cgo's, what escapes is told by the
// compiler, and figures come from a run of seam lab and from a trace, or are
// missing.
package explain

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

// A Section is a step of the way.
type Section struct {
	Title  string
	Blocks []Block
}

// A Block is a part of a section: one of its fields is set.
type Block struct {
	Text  string // a paragraph
	Note  string // a paragraph that may be passed over
	Code  *Code
	Table *Table
	Bytes *Bytes
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
	Wide  int    // the column that gives way where there is little room
	Rows  [][]string
	Last  bool // the last row is a sum
}

// Bytes is a picture of memory in rows of eight bytes.
type Bytes struct{ Rows []ByteRow }

// A ByteRow is eight bytes, or fewer at the end, or a gap that stands for rows
// of one thing.
type ByteRow struct {
	Offset int64
	Gap    int64 // rows left out; Cells is then empty
	Cells  []ByteCell
}

// GapBytes is how many bytes are left out.
func (r ByteRow) GapBytes() int64 { return 8 * r.Gap }

// A ByteCell is bytes of a row that belong together.
type ByteCell struct {
	Span  int    // bytes
	Label string // "" where it goes on from the row before
	Kind  Kind
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
