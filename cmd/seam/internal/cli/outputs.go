package cli

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/output"
)

// An outputFlag names a file to be written; nil where it is not given.
type outputFlag struct {
	flag string
	name *string
}

// checkOutputs finds out before a long run whether the files can be written.
func checkOutputs(files ...outputFlag) error {
	for i, file := range files {
		if file.name == nil {
			continue
		}
		if *file.name == "" {
			return fmt.Errorf("%s: the file's name is empty (is a shell variable unset?)", file.flag)
		}
		if err := output.Check(*file.name); err != nil {
			return fmt.Errorf("%s: %w", file.flag, err)
		}
		for _, other := range files[:i] {
			if other.name != nil && output.Same(*other.name, *file.name) {
				return fmt.Errorf("%s and %s both write to %s: give one of them another file", other.flag, file.flag, *file.name)
			}
		}
	}
	return nil
}
