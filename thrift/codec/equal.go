package codec

import (
	"hash/maphash"
	"maps"
	"reflect"
	"slices"
)

// The functions of this file are the parts of generated Equal methods, which
// would be three times as long if they were inlined.

// Same is == as a function.
func Same[T comparable](a, b T) bool { return a == b }

// EqualPtr compares what two pointers point to; nil equals nil alone.
//
//go:noinline
func EqualPtr[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// EqualSlice compares two lists whose elements are compared by ==.
//
//go:noinline
func EqualSlice[T comparable](a, b []T) bool { return slices.Equal(a, b) }

// EqualSliceAt is EqualSlice for two fields.
//
//go:noinline
func EqualSliceAt[T comparable](a, b *[]T) bool { return slices.Equal(*a, *b) }

// EqualStringAt compares the strings of two fields.
//
//go:noinline
func EqualStringAt(a, b *string) bool { return *a == *b }

// EqualBytesAt compares the bytes of two fields.
//
//go:noinline
func EqualBytesAt(a, b *[]byte) bool { return string(*a) == string(*b) }

// EqualMap compares two maps whose values are compared by ==.
//
//go:noinline
func EqualMap[K, V comparable](a, b map[K]V) bool { return maps.Equal(a, b) }

// EqualList compares two lists.
//
//go:noinline
func EqualList[T any](a, b []T, equal func(a, b T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// EqualItems compares two lists that have structs, not pointers to them.
//
//go:noinline
func EqualItems[T any](a, b []T, equal func(a, b *T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// EqualValues compares two maps.
//
//go:noinline
func EqualValues[K comparable, V any](a, b map[K]V, equal func(a, b V) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || !equal(v, w) {
			return false
		}
	}
	return true
}

// EqualSet compares two sets whose elements are in any order. A set that has
// an element twice equals one that has it twice.
//
//go:noinline
func EqualSet[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	at := 0
	for at < len(a) && a[at] == b[at] {
		at++
	}
	if at == len(a) {
		return true
	}
	count := make(map[T]int, len(a)-at)
	for _, v := range a[at:] {
		count[v]++
	}
	for _, v := range b[at:] {
		if count[v] == 0 {
			return false
		}
		count[v]--
	}
	return true
}

// EqualSetFunc is EqualSet for elements that == can't compare.
//
//go:noinline
func EqualSetFunc[T any](a, b []T, equal func(a, b T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	at := 0
	for at < len(a) && equal(a[at], b[at]) {
		at++
	}
	return at == len(a) || equalUnordered(a[at:], b[at:], equal)
}

// EqualPairs compares two maps that are lists of pairs, in any order.
//
//go:noinline
func EqualPairs[K, V any](a, b []Pair[K, V], equalKey func(a, b K) bool, equalValue func(a, b V) bool) bool {
	return EqualSetFunc(a, b, func(a, b Pair[K, V]) bool {
		return equalKey(a.Key, b.Key) && equalValue(a.Value, b.Value)
	})
}

// equalUnordered looks for each value of a one of b. Values are tried against
// each other only where their hashes are the same.
func equalUnordered[T any](a, b []T, equal func(a, b T) bool) bool {
	seed := maphash.MakeSeed()
	byHash := make(map[uint64][]int, len(a))
	for i := range a {
		h := hash(seed, reflect.ValueOf(&a[i]).Elem())
		byHash[h] = append(byHash[h], i)
	}
next:
	for j := range b {
		h := hash(seed, reflect.ValueOf(&b[j]).Elem())
		left := byHash[h]
		for n, i := range left {
			if equal(a[i], b[j]) {
				left[n] = left[len(left)-1]
				byHash[h] = left[:len(left)-1]
				continue next
			}
		}
		return false
	}
	return true
}

// hash is the same for values that Equal takes for equal: so it knows no
// order in lists, which may be sets or maps, and no difference between
// empty and nil.
func hash(seed maphash.Seed, v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		return maphash.Comparable(seed, v.Bool())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return maphash.Comparable(seed, v.Int())
	case reflect.Float64:
		return maphash.Comparable(seed, v.Float())
	case reflect.String:
		return maphash.String(seed, v.String())
	case reflect.Array: // a UUID
		return maphash.Comparable(seed, v.Interface())
	case reflect.Pointer:
		if v.IsNil() {
			return 1
		}
		return hash(seed, v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return maphash.Bytes(seed, v.Bytes())
		}
		sum := uint64(v.Len())
		for i := range v.Len() {
			sum += mix(hash(seed, v.Index(i)))
		}
		return sum
	case reflect.Map:
		sum := uint64(v.Len())
		for entry := v.MapRange(); entry.Next(); {
			sum += mix(hash(seed, entry.Key())*31 + hash(seed, entry.Value()))
		}
		return sum
	case reflect.Struct:
		sum := uint64(0)
		for i := range v.NumField() {
			sum = mix(sum ^ hash(seed, v.Field(i)))
		}
		return sum
	}
	return 0
}

// mix spreads the bits of a sum's part, so that sums of other parts differ.
func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}
