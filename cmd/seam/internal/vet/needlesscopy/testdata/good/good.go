// Package good needs its copies, or makes one.
package good

// static const char *name(int n) { return "name"; }
import "C"

func once() bool { return C.GoString(C.name(0)) == "x" }

func all(n int) (list []string) {
	for i := range n {
		s := C.GoString(C.name(C.int(i)))
		if s == "" {
			continue
		}
		list = append(list, s, "("+C.GoString(C.name(1))+")")
	}
	return list
}

func named(n int) (all map[string]int, last string) {
	all = map[string]int{}
	for i := range n {
		s := C.GoString(C.name(C.int(i)))
		if s == "x" {
			last = s
		}
		all[C.GoString(C.name(1))] = i
	}
	return all, last
}
