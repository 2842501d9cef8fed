package growth

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
)

func (f analysis) notes() {
	f.Note(lab.Tell("Goroutines started with %s here, the least that Go gives. In a program whose goroutines use more on average, new ones start with more, and the first doublings are left out (%s turns that off).",
		f.Figure(startName, unitBytes), lab.Set("GODEBUG=adaptivestackstart=0")))
	if len(f.Findings) > 0 {
		f.Note(lab.Tell("A published log (%s) shows a stack doubled and copied again and again for one large array. "+
			"Today's Go puts such an array on the heap, and skips doublings for a single large frame; frame by frame it still takes them all.", lab.Set(reference.StackBuffers.Setting())))
	}
}
