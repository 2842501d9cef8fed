//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

package leaf

// prepare finds what the assembly needs besides the layout: nothing here.
func prepare() error { return nil }
