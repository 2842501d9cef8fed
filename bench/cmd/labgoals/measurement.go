package main

import "strings"

const schema = "seam.lab/1"

// A measurement is the series and comparisons of a run of the lab.
type measurement struct {
	Series []struct {
		Name, Unit     string
		NotMeasured    string `json:"not_measured"`
		Median, Lo, Hi float64
	}
	Comparisons []struct {
		Name, Base, Unit string
		Ratio, Lo, Hi    float64
	}
}

// A figure is a value with its interval, lo and hi 0 where there is none.
type figure struct{ value, lo, hi float64 }

// ends are those of the interval; where there is none, the value stands for it.
func (f figure) ends() (lo, hi float64) {
	if f.lo == 0 && f.hi == 0 {
		return f.value, f.value
	}
	return f.lo, f.hi
}

// series is a figure by its name and unit.
func (m *measurement) series(name, unit string) (figure, bool) {
	for _, s := range m.Series {
		if s.Name == name && s.Unit == unit && s.NotMeasured == "" {
			return figure{s.Median, s.Lo, s.Hi}, true
		}
	}
	return figure{}, false
}

// ratio is the time of name over that of base, block by block.
func (m *measurement) ratio(name, base string) (figure, bool) {
	return m.ratioOf(name, base, unitTime)
}

// ratioOf is the ratio of another unit.
func (m *measurement) ratioOf(name, base, unit string) (figure, bool) {
	for _, c := range m.Comparisons {
		if c.Name == name && c.Base == base && c.Unit == unit {
			return figure{c.Ratio, c.Lo, c.Hi}, true
		}
	}
	return figure{}, false
}

// medians is the time of name over that of another case: from the pairs, or in a file of
// an earlier version, which has none of them, by the medians.
func (m *measurement) medians(name, other string) (figure, bool) {
	if f, ok := m.ratio(name, other); ok {
		return f, true
	}
	a, ok := m.series(name, unitTime)
	b, ok2 := m.series(other, unitTime)
	return figure{value: a.value / b.value}, ok && ok2 && b.value > 0
}

// quotient is one figure over another, which may be of another kind.
func (m *measurement) quotient(name, unit, other, otherUnit string) (figure, bool) {
	a, ok := m.series(name, unit)
	b, ok2 := m.series(other, otherUnit)
	return figure{value: a.value / b.value}, ok && ok2 && b.value > 0
}

// share is one part's of all that a case's time was taken apart into, in percent.
func (m *measurement) share(name, part string) (figure, bool) {
	of, ok := m.series(name+"/part="+part, unitTime)
	whole := 0.0
	for _, s := range m.Series {
		if strings.HasPrefix(s.Name, name+"/part=") && s.Unit == unitTime && s.NotMeasured == "" {
			whole += s.Median
		}
	}
	return figure{value: 100 * of.value / whole}, ok && whole > 0
}
