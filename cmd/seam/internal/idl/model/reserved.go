package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// Reserved are the numbers and names that a definition's annotation seam.reserved keeps from
// being used again, as data and programs may still hold what they stood for. A nil one is empty.
type Reserved struct {
	Numbers [][2]int64 // from, to
	Names   []string
}

// HasID reports whether a number is reserved.
func (r *Reserved) HasID(n int64) bool {
	return r != nil && slices.ContainsFunc(r.Numbers, func(x [2]int64) bool { return x[0] <= n && n <= x[1] })
}

// HasName reports whether a name is reserved.
func (r *Reserved) HasName(name string) bool { return r != nil && slices.Contains(r.Names, name) }

// Missing are the parts of r that other doesn't reserve.
func (r *Reserved) Missing(other *Reserved) (list []string) {
	if r == nil {
		return nil
	}
	for _, x := range r.Numbers {
		if !other.covers(x) {
			list = append(list, rangeText(x))
		}
	}
	for _, name := range r.Names {
		if !other.HasName(name) {
			list = append(list, name)
		}
	}
	return list
}

// covers reports whether all numbers of a range are reserved. It goes from one range to the one
// that goes on, so the size of the ranges doesn't matter.
func (r *Reserved) covers(x [2]int64) bool {
	for next := x[0]; next <= x[1]; {
		if r == nil {
			return false
		}
		i := slices.IndexFunc(r.Numbers, func(y [2]int64) bool { return y[0] <= next && next <= y[1] })
		if i < 0 {
			return false
		}
		next = r.Numbers[i][1] + 1
	}
	return true
}

func rangeText(x [2]int64) string {
	if x[0] == x[1] {
		return strconv.FormatInt(x[0], 10)
	}
	return fmt.Sprintf("%d-%d", x[0], x[1])
}

// reserved reads the annotation seam.reserved: numbers, ranges of numbers and names, with commas
// between them.
func (f *file) reserved(notes Annotations, pos syntax.Pos, what string) *Reserved {
	text, ok := notes["seam.reserved"]
	if !ok {
		return nil
	}
	r := &Reserved{}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" || !numeric(part) {
			if !isName(part) {
				f.errorf(pos, "seam.reserved of %s has %q: write ids, ranges of ids and names, as in (seam.reserved = \"2, 5-7, old_name\")", clip(what), clip(part))
				return nil
			}
			r.Names = append(r.Names, part)
			continue
		}
		from, to, isRange := strings.Cut(part, "-")
		if strings.HasPrefix(part, "-") { // a negative number alone, as an enum may have
			from, isRange = part, false
		}
		a, err := strconv.ParseInt(strings.TrimSpace(from), 10, 32)
		b := a
		if err == nil && isRange {
			b, err = strconv.ParseInt(strings.TrimSpace(to), 10, 32)
		}
		if err != nil || b < a {
			f.errorf(pos, "seam.reserved of %s has %q, which is no number and no range of numbers, as 5-7", clip(what), clip(part))
			return nil
		}
		r.Numbers = append(r.Numbers, [2]int64{a, b})
	}
	return r
}

func numeric(s string) bool { return s[0] == '-' || s[0] >= '0' && s[0] <= '9' }

func isName(s string) bool {
	for i, c := range []byte(s) {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c != '.' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

// notReserved reports a use of what is reserved.
func (f *file) notReserved(r *Reserved, pos syntax.Pos, what, name string, number int64) {
	switch {
	case r.HasID(number):
		f.errorf(pos, "%s has the number %d, which seam.reserved keeps: use another", what, number)
	case r.HasName(name):
		f.errorf(pos, "%s has a name that seam.reserved keeps: use another", what)
	}
}

// fieldsNotReserved reports fields that have what is reserved.
func (f *file) fieldsNotReserved(r *Reserved, fields []*Field, owner string) {
	if r == nil {
		return
	}
	for _, x := range fields {
		f.notReserved(r, x.Pos, clip(owner)+"."+clip(x.Name), x.Name, int64(x.ID))
	}
}
