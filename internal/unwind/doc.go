// Package unwind walks stacks of C, in signal handlers too. It prepares tables from the
// .eh_frame of all that is loaded, outside of handlers, and names functions by their files'
// symbol tables. docs/design/prof.md says why it is built as it is.
package unwind
