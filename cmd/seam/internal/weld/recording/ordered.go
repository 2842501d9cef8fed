package recording

// Ordered are values by their keys, which keep the order in which they came.
type Ordered[K comparable, V any] struct {
	List  []*V
	byKey map[K]*V
}

// At is the value of a key: first, if there is none yet.
func (o *Ordered[K, V]) At(key K, first V) *V {
	if v := o.byKey[key]; v != nil {
		return v
	}
	if o.byKey == nil {
		o.byKey = map[K]*V{}
	}
	o.byKey[key] = &first
	o.List = append(o.List, &first)
	return &first
}
