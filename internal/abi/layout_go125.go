//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.26

package abi

const (
	GStartPC = 296
	GCgoCtxt = 320
	MNcgo    = 320
	MP       = 200
	MAllLink = 344
)
