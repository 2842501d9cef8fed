//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

package leaf

// prepare finds what the assembly needs in addition to the layout: nothing on amd64.
func prepare() error {
	tell()
	return nil
}
