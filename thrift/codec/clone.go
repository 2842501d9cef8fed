package codec

import (
	"maps"
	"slices"
	"strings"
)

// The functions of this file are the parts of generated Clone methods: each
// replaces what its argument points to by a copy. What is nil stays nil.
// Were they inlined, the methods would be three times as long.

// A Cloner is a pointer to a generated struct.
type Cloner[P any] interface{ Clone() P }

// ClonePtr copies an optional field.
//
//go:noinline
func ClonePtr[T any](p **T) {
	if *p != nil {
		c := **p
		*p = &c
	}
}

// CloneSlice copies a list whose elements are copied by =.
//
//go:noinline
func CloneSlice[S ~[]E, E any](s *S) { *s = slices.Clone(*s) }

// CloneMap copies a map whose values are copied by =.
//
//go:noinline
func CloneMap[K comparable, V any](m *map[K]V) { *m = maps.Clone(*m) }

// CloneStruct copies a struct.
//
//go:noinline
func CloneStruct[P Cloner[P]](p *P) { *p = (*p).Clone() }

// CloneItem copies a struct that is in a container itself.
func CloneItem[T any, P interface {
	*T
	Clone() P
}](p *T) {
	*p = *P(p).Clone()
}

// CloneStructs copies a list of structs.
//
//go:noinline
func CloneStructs[P Cloner[P]](s *[]P) {
	*s = slices.Clone(*s)
	for i, p := range *s {
		(*s)[i] = p.Clone()
	}
}

// CloneEach copies a list with its elements.
//
//go:noinline
func CloneEach[T any](s *[]T, clone func(*T)) {
	*s = slices.Clone(*s)
	for i := range *s {
		clone(&(*s)[i])
	}
}

// CloneValues copies a map with its values.
//
//go:noinline
func CloneValues[K comparable, V any](m *map[K]V, clone func(*V)) {
	if *m == nil {
		return
	}
	c := make(map[K]V, len(*m))
	for k, v := range *m {
		clone(&v)
		c[k] = v
	}
	*m = c
}

// ClonePairs copies a map that is a list of pairs. A function that is nil
// stands for values that are copied by =.
//
//go:noinline
func ClonePairs[K, V any](s *[]Pair[K, V], cloneKey func(*K), cloneValue func(*V)) {
	*s = slices.Clone(*s)
	for i := range *s {
		if cloneKey != nil {
			cloneKey(&(*s)[i].Key)
		}
		if cloneValue != nil {
			cloneValue(&(*s)[i].Value)
		}
	}
}

// CloneString copies a string that may be a view of the input.
//
//go:noinline
func CloneString(s *string) { *s = strings.Clone(*s) }

// CloneStringPtr copies an optional string that may be a view of the input.
func CloneStringPtr(p **string) {
	if *p != nil {
		c := strings.Clone(**p)
		*p = &c
	}
}

// CloneStringMap copies a map whose keys may be views of the input. If clone is
// nil, the values are copied by =.
//
//go:noinline
func CloneStringMap[V any](m *map[string]V, clone func(*V)) {
	if *m == nil {
		return
	}
	c := make(map[string]V, len(*m))
	for k, v := range *m {
		if clone != nil {
			clone(&v)
		}
		c[strings.Clone(k)] = v
	}
	*m = c
}
