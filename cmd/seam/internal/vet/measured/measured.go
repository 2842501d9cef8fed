// Package measured is what was measured and rules may quote: prices of this machine, and what
// a program did while it was watched. A rule is silent about money where nothing was measured.
package measured

import (
	"path"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Facts are what is known. A nil *Facts knows nothing.
type Facts struct {
	Key string // of the files that it was read from, for caches

	// Prices in nanoseconds, 0 where nothing was measured.
	Cgo       float64 // a call of C
	Leaf      float64 // the same as a leaf call, as seam weld makes it
	Callback  float64 // a call of Go by C
	Upcall    float64 // the same in a coroutine
	Goroutine float64 // starting a goroutine that does nothing, and waiting for it

	Calls map[Site]float64   // calls a second
	Share map[Site]float64   // of the processor time that the program took
	Hot   map[string]float64 // the same, of Go functions alone without what they call

	// Code is how many bytes of machine code each line of a function has, in files without
	// their folders. It may compile; nil if nothing can be told.
	Code func(pkg, fn string) map[Line]int
}

// Site is a line of Go that calls a C function.
type Site struct {
	Package string // import path
	C       string // the function
	File    string // without its folder, which differs between builds
	Line    int
}

// Line is a line of Go.
type Line struct {
	File string // without its folder
	Line int
}

// At makes a Site of a place in the source.
func At(pkg, c, file string, line int) Site { return Site{pkg, c, path.Base(file), line} }

// CallsAt returns how often a second a line called C.
func (f *Facts) CallsAt(s Site) float64 {
	if f == nil {
		return 0
	}
	return f.Calls[s]
}

// ShareAt returns which part of the processor time passed in a line's call of C, and in C.
func (f *Facts) ShareAt(s Site) float64 {
	if f == nil {
		return 0
	}
	return f.Share[s]
}

// CodeOf returns how many bytes of machine code the lines of a function have.
func (f *Facts) CodeOf(pkg, fn string) map[Line]int {
	if f == nil || f.Code == nil {
		return nil
	}
	return f.Code(pkg, fn)
}

// HotFunc returns which part of the processor time a Go function took itself.
func (f *Facts) HotFunc(name string) float64 {
	if f == nil {
		return 0
	}
	return f.Hot[name]
}

// Prices returns the known ones; nil *Facts has none.
func (f *Facts) Prices() Facts {
	if f == nil {
		return Facts{}
	}
	return *f
}

// NS is a time for people.
func NS(ns float64) string { return quantity.Time(ns) }
