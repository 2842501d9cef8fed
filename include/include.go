// Package include carries Seam's C headers, in the directory seam beside it.
//
// A cgo package that includes them should import it, by
//
//	import _ "github.com/seamgo/seam/include"
//
// so that the go command rebuilds the package when the headers change and `go mod vendor`
// copies them. `go list -f '{{.Dir}}' github.com/seamgo/seam/include` prints where they are;
// `seam headers DIR` writes a copy.
package include

import "embed"

// Files has the headers, under the names by which C includes them: seam/coro.h and so on.
//
//go:embed seam/*.h
var Files embed.FS
