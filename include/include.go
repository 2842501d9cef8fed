// Package include carries Seam's C headers, which lie beside it in seam/.
//
// A cgo package that includes them should import it, by
//
//	import _ "github.com/seamgo/seam/include"
//
// so that the go command compiles the package again when the headers change, and
// `go mod vendor` copies them. Where they are, `go list -f '{{.Dir}}'
// github.com/seamgo/seam/include` tells; `seam headers DIR` writes a copy.
package include

import "embed"

// Files are the headers, under the names that C includes them by: seam/coro.h and so
// on.
//
//go:embed seam/*.h
var Files embed.FS
