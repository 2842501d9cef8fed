package codec

import "context"

// depthKey is the key of the depth in a context.
type depthKey struct{}

// Deeper counts how many recursive structs are being read within one another
// and refuses more than [DefaultDepth] with [ErrDepth]. The Read methods of
// generated code, which are for Apache's library, call it: they can't hand
// anything but a context to each other.
func Deeper(ctx context.Context) (context.Context, error) {
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth >= DefaultDepth {
		return ctx, ErrDepth
	}
	return context.WithValue(ctx, depthKey{}, depth+1), nil
}
