package report

import (
	"strings"
	"testing"
)

// What functions do over and over is told from what was only called twice.
func TestTurns(t *testing.T) {
	for _, c := range []struct{ stack, turn string }{ // innermost first
		{"f f f main", "f, innermost"},
		{"f f main", ""},
		{"tip f f f main", "f"},
		{"eval neg eval neg eval neg main", "eval neg, innermost"},
		{"print format eval neg eval neg eval neg main", "eval neg"},
		{"a b c a b c a b c", "a c b, innermost"}, // a calls c, c calls b, b calls a
		// Nodes of a tree in no order.
		{"eval add eval neg eval add eval neg eval mul eval", "eval add, innermost"},
		// Handlers that wrap each other.
		{"serve gzip serve log serve auth serve main", ""},
		{"a b c d e f g h i a b main", "a i h g f e d c b, innermost"}, // longer than is seen twice
		{"", ""}, {"f", ""}, {"f g", ""}, {"f g h i", ""},
	} {
		var stack []Place
		for _, name := range strings.Fields(c.stack) {
			stack = append(stack, Place{Func: name})
		}
		turn, innermost := turns(stack)
		var names []string
		for _, p := range turn {
			names = append(names, p.Func)
		}
		got := strings.Join(names, " ")
		if innermost {
			got += ", innermost"
		}
		if got != c.turn {
			t.Errorf("%q: %q, want %q", c.stack, got, c.turn)
		}
	}
}
