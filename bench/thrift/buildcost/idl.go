// Package buildcost generates and builds the code of several Thrift compilers for a
// large definition, as services have them after some years.
package buildcost

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// fields is how many fields each struct has.
const fields = 12

// mix is what fields are of, and how often.
var mix = []struct {
	typ    string // %d: the number of another struct or enum
	weight int
}{
	{"string", 25}, {"i64", 16}, {"i32", 12}, {"bool", 8}, {"double", 5}, {"optional string", 8},
	{"Kind%d", 6}, {"Record%d", 6}, {"list<i64>", 4}, {"list<string>", 4}, {"map<string, string>", 3}, {"binary", 3},
}

// enums is how many there are.
const enums = 20

// IDL is a definition of n structs in the Go package pkg. It is the same every time.
// A struct refers only to those before it.
func IDL(pkg string, n int) string {
	r := rand.New(rand.NewPCG(7, 8))
	var b strings.Builder
	fmt.Fprintf(&b, "namespace go %s\n", pkg)
	for e := range enums {
		fmt.Fprintf(&b, "\nenum Kind%d {\n  NONE = 0\n  SOME = 1\n  MANY = 5\n  ALL = 9\n}\n", e)
	}
	var total int
	for _, m := range mix {
		total += m.weight
	}
	for s := range n {
		fmt.Fprintf(&b, "\nstruct Record%d {\n", s)
		for f := range fields {
			i, at := 0, r.IntN(total)
			for at -= mix[i].weight; at >= 0; at -= mix[i].weight {
				i++
			}
			typ := mix[i].typ
			switch {
			case strings.HasPrefix(typ, "Kind"):
				typ = fmt.Sprintf(typ, r.IntN(enums))
			case strings.HasPrefix(typ, "Record") && s == 0:
				typ = "i64"
			case strings.HasPrefix(typ, "Record"):
				typ = fmt.Sprintf(typ, r.IntN(s))
			}
			fmt.Fprintf(&b, "  %d: %s field_%d\n", f+1, typ, f+1)
		}
		b.WriteString("}\n")
	}
	return b.String()
}
