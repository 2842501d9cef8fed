package compare

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// factOrder is the order in which the well-known facts are shown.
var factOrder = []string{
	"cpu", result.KeyCores, result.KeyVirtual, result.KeyGovernor, "goos", "goarch", result.KeyKernel,
	result.KeyAffinity, result.KeyQuota, result.KeyMemory,
	result.KeyGo, result.KeyProcs, result.KeyGODEBUG, result.KeyGOGC, result.KeyGOMEMLIMIT, result.KeyCommit, result.KeySeam, result.KeyLeaf, result.KeyMode,
}

// machineFacts are those that speak of the machine.
var machineFacts = factOrder[:10]

// factNames are what facts are called whose keys people would not say.
var factNames = map[string]string{
	result.KeyVirtual:  "virtual machine",
	result.KeyGovernor: "frequency governor",
	result.KeyQuota:    "processors allowed by the control group",
	result.KeyMemory:   "memory allowed by the control group",
}

// differences lists the facts that both files tell and that differ. A fact that
// only one tells is no difference: go test writes fewer than the lab.
func differences(old, new *File) []Difference {
	var list []Difference
	for _, n := range new.Facts {
		if o := old.fact(n.Name); o != "" && o != n.Value {
			name := n.Name
			if said := factNames[name]; said != "" {
				name = said
			}
			list = append(list, Difference{name, o, n.Value, slices.Contains(machineFacts, n.Name)})
		}
	}
	return list
}

// A factReader turns the comments in which the lab writes what it knows about
// a run into configuration lines, for the reader of the format behind it. So it
// does with the line that ends a process of go test.
type factReader struct {
	in    *bufio.Reader
	rest  []byte
	ended int // processes of go test
}

func (r *factReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.in.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err
		}
		r.rest = bytes.TrimPrefix(line, []byte(result.FactPrefix))
		if ends(line) {
			// A test binary says this once. What follows is from another one.
			r.ended++
			r.rest = fmt.Appendf(nil, "%s: %d\n", result.KeyRound, r.ended)
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func ends(line []byte) bool {
	s := string(bytes.TrimSpace(line))
	return s == "PASS" || s == "FAIL"
}

var _ io.Reader = (*factReader)(nil)
