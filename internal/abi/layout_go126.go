//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.26 && !go1.28

package abi

const (
	GStartPC = 304
	GCgoCtxt = 328
	MNcgo    = 328
	MP       = 208
	MAllLink = 352
)
