//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

// What tests look at.
var CheckLayout = seamCheckLayout

func ReadWord(addr uintptr) (uintptr, bool) {
	r := seamReader{ok: true}
	return r.word(addr), r.ok
}
