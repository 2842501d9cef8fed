package codec

import "context"

// These are the keys of the depths in a context.
type (
	depthKey        struct{}
	depthToWriteKey struct{}
)

// Deeper counts how many recursive structs are being read within one another
// and refuses more than [DefaultDepth] with [ErrDepth]. The Read methods of
// generated code, which are for Apache's library, call it: they can't hand
// anything but a context to each other.
func Deeper(ctx context.Context) (context.Context, error) {
	return deeper(ctx, depthKey{}, DefaultDepth)
}

// DeeperToWrite is Deeper for the Write methods, with [MaxDepth].
func DeeperToWrite(ctx context.Context) (context.Context, error) {
	return deeper(ctx, depthToWriteKey{}, MaxDepth)
}

func deeper(ctx context.Context, key any, most int) (context.Context, error) {
	depth, _ := ctx.Value(key).(int)
	if depth >= most {
		return ctx, ErrDepth
	}
	return context.WithValue(ctx, key, depth+1), nil
}
