// Package heap counts what C allocates, by the stack that has asked for it: it stands in front of
// malloc in every program that imports it. docs/design/heap.md says why it is built as it is.
package heap
