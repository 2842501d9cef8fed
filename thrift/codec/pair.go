package codec

// A Pair is an entry of a map whose keys Go can't have as keys of a map:
// lists, sets, maps and structs. Such a map is a []Pair, in the order of the
// wire.
type Pair[K, V any] struct {
	Key   K `json:"key"`
	Value V `json:"value"`
}
