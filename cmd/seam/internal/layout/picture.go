package layout

// rowBytes is how many bytes stand in a row of the picture.
const rowBytes = 8

// maxRows bounds a picture.
const maxRows = 96

// A row is eight bytes of a picture, or a gap where rows that say nothing new
// are left out.
type row struct {
	Offset int64
	Cells  []cell
	Line   int64 // number of the cache line that begins here; 0 for none, nor for the first
	Gap    int64 // bytes left out
}

// A cell are neighbouring bytes of one field.
type cell struct {
	Span  int
	Field int // index in Side.Fields; -1 for padding
	First bool
}

// rows draws a side. Fields of a union lie over each other: it is one block.
func (s *Side) rows(line int64) []row {
	var list []row
	field := 0 // the first that may reach into the row
	left := int64(0)
	gap := func() {
		if left > 0 {
			list = append(list, row{Gap: left})
			left = 0
		}
	}
	for at := int64(0); at < s.Size; {
		r := row{Offset: at}
		if at > 0 && at%line == 0 {
			r.Line = at / line
		}
		end := min(at+rowBytes, s.Size)
		for at < end {
			var c cell
			c, field = s.cellAt(at, end, field)
			r.Cells = append(r.Cells, c)
			at += int64(c.Span)
		}
		if len(list) >= maxRows && at < s.Size {
			left += at - r.Offset
			left += s.Size - at
			break
		}
		// Inside of a long field or a long hole one row says it all.
		if n := len(list); n > 0 && len(r.Cells) == 1 && !r.Cells[0].First && len(list[n-1].Cells) == 1 && list[n-1].Cells[0].Field == r.Cells[0].Field {
			if to := s.runEnd(r.Cells[0].Field, field, at); to-at >= 2*rowBytes {
				skip := (to - at) / rowBytes * rowBytes
				if to == s.Size && to%rowBytes == 0 {
					skip -= rowBytes
				}
				left += at - r.Offset + skip
				at += skip
				gap()
				continue
			}
		}
		list = append(list, r)
	}
	gap()
	return list
}

// cellAt is what lies at an offset, up to the end of the row.
func (s *Side) cellAt(at, end int64, from int) (cell, int) {
	if s.Kind != Struct || len(s.Fields) == 0 {
		return cell{Span: int(end - at), Field: 0, First: at == 0}, from
	}
	for from < len(s.Fields) && s.Fields[from].Offset+s.Fields[from].Size <= at {
		from++
	}
	if from == len(s.Fields) || s.Fields[from].Offset >= end {
		return cell{Span: int(end - at), Field: -1, First: from > 0 && s.Fields[from-1].Offset+s.Fields[from-1].Size == at}, from
	}
	f := &s.Fields[from]
	if f.Offset > at {
		return cell{Span: int(f.Offset - at), Field: -1, First: true}, from
	}
	c := cell{Span: int(min(end, f.Offset+f.Size) - at), Field: from, First: f.Offset == at}
	if f.mark < 0 {
		c.Field = -1
	}
	return c, from
}

// runEnd is where a field, or the padding at an offset, ends.
func (s *Side) runEnd(field, next int, at int64) int64 {
	switch {
	case s.Kind != Struct || len(s.Fields) == 0:
		return s.Size
	case field >= 0:
		return s.Fields[field].Offset + s.Fields[field].Size
	case next < len(s.Fields) && s.Fields[next].Offset <= at: // a field that is padding
		return s.Fields[next].Offset + s.Fields[next].Size
	case next < len(s.Fields):
		return s.Fields[next].Offset
	}
	return s.Size
}

// Letter stands for a field in the picture; its partner on the other side has the
// same.
func (s *Side) Letter(i int) string {
	const all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	if i < len(s.Fields) {
		i = s.Fields[i].mark
	}
	if i < 0 {
		return "."
	}
	return all[i%len(all) : i%len(all)+1]
}
