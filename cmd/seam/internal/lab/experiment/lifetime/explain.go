package lifetime

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// explain says what the figures mean. A sentence is left out where its figures are
// missing.
func explain(e *result.Experiment) {
	t := analysis{lab.Analysis{Experiment: e}}
	t.Advise(lab.Advice{Name: way{find("view"), sizes[0]}.name(), Base: way{base(toC), sizes[0]}.name(), Unit: unitTime,
		Faster: "Lend C your strings (mem.Str by leaf) rather than copy them: against C.CString and free ",
		Slower: "Copy short strings: lending them, against C.CString and free, ", Same: "Copying short strings costs no more than lending them: ",
	})
	for _, n := range sizes {
		t.Say(lab.Tell("Handing %s bytes to C costs, against %s: %s.", lab.Set(n), lab.Set(base(toC).label), t.each(toC, n, "cstring-free", "cbytes-free", "pinner", "pointer", "view", "registered")))
	}
	for _, n := range sizes {
		t.Say(lab.Tell("Getting %s bytes from C costs, against %s: %s.", lab.Set(n), lab.Set(base(fromC).label), t.each(fromC, n, "gobytes-free", "malloc-free", "stack-cgo", "stack-fill", "fill", "registered-fill", "arena")))
	}
	t.Say(
		lab.Tell("Giving C a Go value and taking it back costs, against %s: %s.", lab.Set(base(keep).label), t.each(keep, 0, "cgo-handle", "handle", "pinned-value")),
		t.heap(), t.leak())
	t.Note(t.judge())
	t.charts()
}

type analysis struct{ lab.Analysis }

// each compares some idioms of a group with its first.
func (t analysis) each(group string, n int, keys ...string) lab.Part {
	var all []lab.Named
	for _, key := range keys {
		w := way{find(key), n}
		all = append(all, lab.Named{Name: w.name(), Words: w.idiom.label})
	}
	return t.Each(unitTime, way{base(group), n}.name(), all...)
}

// find is the idiom of a key.
func find(key string) idiom {
	for _, d := range idioms {
		if d.key == key {
			return d
		}
	}
	panic("lifetime: no idiom " + key)
}

// verdict is what the compiler said about an idiom, and how many values escape.
func (t analysis) verdict(d idiom) (text string, escapes int) {
	s := t.Find(d.verdictName(), unitEscapes)
	if s == nil {
		return "", 0
	}
	text, _ = strings.CutPrefix(s.Label, d.label+": ")
	return text, int(s.Median)
}

// heap lists the idioms in which the compiler sends something to the heap.
func (t analysis) heap() lab.Sentence {
	judged := false
	var told []string
	for _, d := range idioms {
		text, escapes := t.verdict(d)
		judged = judged || text != ""
		if escapes > 0 {
			told = append(told, d.key)
		}
	}
	switch {
	case !judged:
		return lab.Sentence{}
	case len(told) == 0:
		return lab.Tell("In none of the idioms the compiler puts a value on the heap.")
	}
	return lab.Tell("The compiler puts a value on the heap, or needs the caller's to be there already, in these idioms: %s. The table quotes it.", lab.Set(strings.Join(told, ", ")))
}

func (t analysis) leak() lab.Sentence {
	var all []lab.Named
	for _, n := range sizes {
		all = append(all, lab.Named{Name: leakName(n)})
	}
	return lab.Tell("A missing free keeps in RAM: %s. Go's collector knows nothing of it, and none of Go's limits applies to it.", t.Each(unitLeak, "", all...))
}

// judge says whose verdicts the table has.
func (t analysis) judge() lab.Sentence {
	s := t.Find(verdictsName, unitIdioms)
	if s == nil {
		return lab.Sentence{}
	}
	return lab.Tell("The idioms were %s.", lab.Set(s.Label))
}
