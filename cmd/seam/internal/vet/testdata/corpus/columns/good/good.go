// Package good has C read all columns.
package good

// typedef struct stmt stmt;
// typedef struct { int type; long long i; double d; } value;
// int column_type(stmt *s, int i);
// long long column_int64(stmt *s, int i);
// double column_double(stmt *s, int i);
// static void columns(stmt *s, value *v, int n) {
//	for (int i = 0; i < n; i++) {
//		v[i].type = column_type(s, i);
//		if (v[i].type == 1)
//			v[i].i = column_int64(s, i);
//		else
//			v[i].d = column_double(s, i);
//	}
// }
import "C"

// Rows are the results of a statement.
type Rows struct {
	s    *C.stmt
	room []C.value
}

// Next reads a row.
func (r *Rows) Next(dest []any) {
	C.columns(r.s, &r.room[0], C.int(len(dest)))
	for i := range dest {
		switch r.room[i]._type {
		case 1:
			dest[i] = int64(r.room[i].i)
		case 2:
			dest[i] = float64(r.room[i].d)
		}
	}
}
