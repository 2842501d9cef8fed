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
	"flag"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
)

func main() {
	flagsOfOldNames()
	unitchecker.Main(vet.AnalyzersAlone(vet.Rules)...)
}

// flagsOfOldNames defines a flag for each rule that was divided, which sets those of its parts.
func flagsOfOldNames() {
	parts := map[string][]string{}
	for _, r := range vet.Rules {
		if r.Formerly != "" {
			parts[r.Formerly] = append(parts[r.Formerly], r.Analyzed())
		}
	}
	for old, names := range parts {
		flag.BoolFunc(strings.ReplaceAll(old, "-", ""), "enable "+strings.Join(names, ", "), func(value string) error {
			for _, name := range names {
				if err := flag.Set(name, value); err != nil {
					return err
				}
			}
			return nil
		})
	}
}
