// Package good has comments that do what they say, and some that only talk of them.
package good

// #include <stdlib.h>
// #include <string.h>
import "C"

// A line such as //seam:ignore cstring-leak with a reason ignores a finding.
func above(s string) int {
	//seam:ignore cstring-leak the string lives as long as the program
	return int(C.strlen(C.CString(s)))
}

func beside(s string) int {
	return int(C.strlen(C.CString(s))) //seam:ignore cstring-leak it lives as long as the program
}

func amongOthers(s string) int {
	// The string is short.
	//seam:ignore cstring-leak it lives as long as the program
	// So it doesn't matter.
	return int(C.strlen(C.CString(s)))
}

// What is found with figures may come and go.
func measured() int {
	//seam:ignore cgo-loop,fat-error-path the loop runs three times
	return 0
}

// seam:ignore is what such a comment begins with.
func prose() {}
