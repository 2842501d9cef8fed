package syntax

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Comments between any two words are kept, whatever they look like.
func TestCommentsAnywhere(t *testing.T) {
	comments := []string{
		"", "", "", "\n", "\n\n\n", " /*x*/ ", "\n/*y*/\n", "\n/*z*/ ", " // a\n", "\n\n# b\n\n",
		" /* c\n      d */ ", "\n    /*\n     * e\n     */\n", " /*1*/ /*2*/ // f\n", "\n/*3*/\n\n/*4*/ ",
	}
	rounds := 12
	if testing.Short() {
		rounds = 2
	}
	for name, src := range corpus(t, "ok") {
		words := wordsOf(src)
		random := rand.New(rand.NewPCG(1, 2)) // for each file, since they come in any order
		for round := range rounds {
			var b strings.Builder
			for _, w := range words {
				if n := random.IntN(len(comments) * (1 + round%4*5)); n < len(comments) {
					b.WriteString(comments[n])
				}
				b.WriteString(w)
				b.WriteString([]string{" ", " ", "\n"}[random.IntN(3)])
			}
			if _, errs := Parse(name, []byte(b.String())); errs.Fatal() {
				t.Fatalf("%s: %v\n%s", name, errs, b.String())
			}
			if err := checkPrint([]byte(b.String())); err != nil {
				t.Fatalf("%s, round %d: %v", name, round, err)
			}
		}
	}
}

// wordsOf returns the tokens of a source.
func wordsOf(src []byte) []string {
	var all []string
	l := newLexer(src, func(Pos, string, ...any) {})
	for t := l.next(); t.kind != endOfFile; t = l.next() {
		all = append(all, t.text)
	}
	return all
}
