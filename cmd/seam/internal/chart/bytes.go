package chart

// Bytes is a map of memory in rows of eight bytes. It is a table, for the template
// "bytes".
type Bytes struct {
	Name string // for those who can't see it
	Rows []ByteRow
}

// A ByteRow is eight bytes, or fewer at the end, or a gap where rows that say nothing new
// are left out.
type ByteRow struct {
	Offset int64
	Line   int64 // the number of the cache line that begins here, 0 for none
	Gap    int64 // bytes left out; Cells is then empty
	Cells  []ByteCell
}

// A ByteCell is bytes of a row that belong together.
type ByteCell struct {
	Span  int    // bytes
	Class string // "padding", or one of the page's
	Label string // "" where it goes on from the row before
	Tip   string // shown when pointed at
}

// Rest is how many bytes of the row lie behind the end.
func (r ByteRow) Rest() int {
	n := 8
	for _, c := range r.Cells {
		n -= c.Span
	}
	return n
}
