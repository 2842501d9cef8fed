// Package answer gives C memory that C asked for.
package answer

// #include <stdlib.h>
// typedef struct { const char *prompt; char *result; } seam_vet_question;
import "C"

//export seamVetAnswer
func seamVetAnswer(q *C.seam_vet_question) {
	q.result = C.CString("yes") // want note "is stored in field result, which nothing in this package frees"
}

// Ask is the same for C that doesn't ask.
func Ask(q *C.seam_vet_question) {
	q.result = C.CString("no") // want warning "is stored in field result, which nothing in this package frees"
}
