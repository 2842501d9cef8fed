// Package bad asks C for each column, several times.
package bad

// typedef struct stmt stmt;
// int column_type(stmt *s, int i);
// long long column_int64(stmt *s, int i);
// double column_double(stmt *s, int i);
import "C"

// Rows are the results of a statement.
type Rows struct{ s *C.stmt }

// Next reads a row.
func (r *Rows) Next(dest []any) {
	for i := range dest {
		switch C.column_type(r.s, C.int(i)) { // want note "this loop crosses into C at 3 places in every round"
		case 1:
			dest[i] = int64(C.column_int64(r.s, C.int(i)))
		case 2:
			dest[i] = float64(C.column_double(r.s, C.int(i)))
		}
	}
}
