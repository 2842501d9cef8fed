package quantity

import (
	"fmt"
	"strings"
)

// An Integer counts things.
type Integer interface{ ~int | ~int64 | ~uint64 }

// Plural is a number of things: "1 growth", "1200 processes". Plurals that don't just add
// s or es are passed too, with or without a verb: Plural(n, "file is", "files are").
func Plural[N Integer](n N, one string, many ...string) string {
	return fmt.Sprint(n) + " " + Noun(n, one, many...)
}

// Noun is the form of a noun that goes with n; see [Plural].
func Noun[N Integer](n N, one string, many ...string) string {
	switch {
	case n == 1:
		return one
	case len(many) > 0:
		return many[0]
	case strings.HasSuffix(one, "s"):
		return one + "es"
	}
	return one + "s"
}

// First lists names, or the first of them and how many more there are: "a, b and 3 more".
func First(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Count is a whole number with commas at the thousands: "12,345".
func Count[N Integer](n N) string { return commas(fmt.Sprint(n)) }

// commas puts commas at the thousands of digits, which a sign may precede.
func commas(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
