//go:build !race

package ring

// annotations are for the race detector.
type annotations struct{}

func (*annotations) acquire(*control) {}
func (*annotations) release(*control) {}
