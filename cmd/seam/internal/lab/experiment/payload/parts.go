package payload

// Pieces of a call's time.
const (
	partCopy     = "copy"
	partCrossing = "crossing"
	partWork     = "work"
	partAlloc    = "allocation"
	partRest     = "rest"
)

var parts = []string{partWork, partCopy, partAlloc, partCrossing, partRest}

// pieces is what a way does besides the work and the crossing, by the names that the
// program has for it.
var pieces = map[string]struct{ copies, allocations []string }{
	viaCopy:       {[]string{"copy-in", "copy-out", "copy-out"}, []string{"malloc-in", "malloc-out", "make-out"}},
	viaView:       {[]string{"copy-out", "copy-out"}, []string{"malloc-out", "make-out"}},
	viaFill:       {},
	viaRegistered: {nil, []string{"pool"}},
	viaLeaf:       {},
}

// shared are the pieces that are timed once for all ways.
var shared = []string{"work", "copy-in", "copy-out", "malloc-in", "malloc-out", "make-out", "pool"}

// takeApart divides the time of a way into its parts: whole and crossing are its own, the
// pieces those of all ways.
func takeApart(via string, whole, crossing float64, piece map[string]float64) map[string]float64 {
	sum := func(names []string) (ns float64) {
		for _, n := range names {
			ns += piece[n]
		}
		return ns
	}
	p := map[string]float64{
		partWork: piece["work"], partCrossing: crossing,
		partCopy: sum(pieces[via].copies), partAlloc: sum(pieces[via].allocations),
	}
	p[partRest] = whole - p[partWork] - p[partCrossing] - p[partCopy] - p[partAlloc]
	return p
}
