// Package uncompiled has C beside it that doesn't compile here: its text shows what it frees.
package uncompiled

// #include <stdlib.h>
// void set_title(char *title);
// void set_item(int id, char *title);
// void look(char *title);
// void keep(char *title);
import "C"

func freed(s string) {
	C.set_title(C.CString(s))
	C.set_item(1, C.CString(s))
}

func kept(s string) { C.keep(C.CString(s)) }

func unknown(s string) {
	C.look(C.CString(s)) // want warning "unless C.look does: no variable holds it"
}
