//go:build cgo

package offload

import (
	"os"
	"runtime"
	"strconv"
)

var state = choose(os.Getenv("SEAM_OFFLOAD"), runtime.GOOS)

func choose(env, system string) State {
	switch env {
	case "", "auto":
	case "cgo":
		return State{Path: PathCgo, Reason: "SEAM_OFFLOAD=cgo in the environment"}
	default:
		os.Stderr.WriteString("seam: offload: SEAM_OFFLOAD=" + strconv.Quote(env) + " is not known (want auto or cgo); going on with auto\n")
	}
	if system != "linux" {
		return State{Path: PathCgo, Reason: "it is native on Linux alone, this is " + system}
	}
	return State{Path: PathNative}
}
