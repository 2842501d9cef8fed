// Package csys has C that several packages include: system calls without libc, names of functions, and what a
// thread sees of others from outside. Seam's tool puts the same text into welded programs.
//
// All functions are static. A package that includes them imports this one, so that it is rebuilt when they change.
package csys

import "embed"

// Files has the headers.
//
//go:embed *.h
var Files embed.FS
