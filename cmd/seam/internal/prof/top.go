package prof

import (
	"slices"
	"strings"
)

// A Total is what a profile has of one function.
type Total struct {
	Func, File string
	Kind       Kind
	Own        int64 // in the function itself
	All        int64 // with what it calls
}

// Top lists the functions of a profile, those with the most time of their own first.
func (p *Profile) Top(of int) []Total {
	type name struct {
		function, file string
		kind           Kind
	}
	totals := map[name]*Total{}
	at := func(f Frame) *Total {
		n := name{f.Func, f.File, f.Kind}
		t := totals[n]
		if t == nil {
			t = &Total{Func: f.Func, File: f.File, Kind: f.Kind}
			totals[n] = t
		}
		return t
	}
	for _, s := range p.Stacks {
		if s.Values[of] == 0 {
			continue
		}
		seen := map[*Total]bool{} // a function that calls itself counts once
		for i, n := range s.Frames {
			t := at(p.Frames[n])
			if i == 0 {
				t.Own += s.Values[of]
			}
			if !seen[t] {
				seen[t] = true
				t.All += s.Values[of]
			}
		}
	}
	var list []Total
	for _, t := range totals {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b Total) int {
		switch {
		case a.Own != b.Own:
			return sign(b.Own > a.Own)
		case a.All != b.All:
			return sign(b.All > a.All)
		}
		return strings.Compare(a.Func+"\x00"+a.File, b.Func+"\x00"+b.File)
	})
	return list
}

func sign(after bool) int {
	if after {
		return 1
	}
	return -1
}
