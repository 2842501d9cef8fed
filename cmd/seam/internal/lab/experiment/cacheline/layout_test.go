package cacheline

import "testing"

// Three fields with a hole between the first two.
var holed = layout{size: 80, align: 8, fields: []field{{"a", 0, 8}, {"b", 64, 4}, {"sum", 72, 8}}}

func TestTouched(t *testing.T) {
	dense := layout{size: 24, align: 8, fields: []field{{"a", 0, 8}, {"b", 8, 8}, {"sum", 16, 8}}}
	odd := layout{size: 13, align: 1, fields: []field{{"a", 0, 1}, {"b", 1, 4}, {"sum", 5, 8}}}
	tests := []struct {
		name         string
		layout       layout
		at           uintptr
		lines, split int
	}{
		{"at a line's beginning", dense, 64, 1, 0},
		{"up to a line's end", dense, 128 - 24, 1, 0},
		{"its last field on the next line", dense, 128 - 16, 2, 0},
		{"its first field alone", dense, 128 - 8, 2, 0},
		{"a field on both lines", odd, 128 - 3, 2, 1},
		{"the last byte on the next line", odd, 128 - 12, 2, 1},
		{"between two fields", odd, 128 - 5, 2, 0},
		{"padding on a line of its own does not count", layout{size: 192, fields: []field{{"a", 0, 8}, {"sum", 136, 8}}}, 64, 2, 0},
		{"a hole at the end of a line", holed, 0, 2, 0},
		{"on three lines", layout{size: 120, fields: []field{{"a", 0, 8}, {"b", 8, 80}, {"sum", 88, 8}}}, 120, 3, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if lines, split := tt.layout.touched(tt.at); lines != tt.lines || split != tt.split {
				t.Errorf("%d lines, %d fields on two; want %d and %d", lines, split, tt.lines, tt.split)
			}
		})
	}
}

func TestCensus(t *testing.T) {
	// 56 of 56 bytes in an array: of eight places on a line, two keep it on one.
	l := layout{size: 56, align: 8}
	for i := range 7 {
		l.fields = append(l.fields, field{"", 8 * i, 8})
	}
	c := l.expected()
	if c.perStruct() != 1.75 || c.splitShare() != 75 || c.fieldsShare() != 0 {
		t.Errorf("%v lines a struct, %v %% split, %v %% of fields split", c.perStruct(), c.splitShare(), c.fieldsShare())
	}
	// What is between the fields is not counted: 20 bytes, which need one line.
	if holed.fewest() != 1 || holed.bytes() != 20 {
		t.Errorf("%d bytes need %d lines", holed.bytes(), holed.fewest())
	}
}
