// Command seam-vet is the rules of seam vet as a tool of the go command, which keeps what
// each package gives in its build cache:
//
//	go install github.com/seamgo/seam/cmd/seam/seam-vet@latest
//	go vet -vettool=$(which seam-vet) ./...
//
// The go command passes Go alone, so what the C does is unknown here and findings that rest
// on it have a lower severity or are missing: seam vet sees more.
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
)

func main() {
	unitchecker.Main(vet.AnalyzersAlone(vet.Rules)...)
}
