package limits

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// mostAsked is the largest variable that the compiler is asked about: a frame may not
// have twice as much, and a stack of that size can't hold one.
const mostAsked = 512 << 20

// splits is how many sizes between two a limit is looked for at, in one compilation.
const splits = 24

// compileTime bounds one compilation. They take some hundredths of a second.
const compileTime = time.Minute

// A bracket is what is known of a limit: good bytes stay on the stack, bad don't.
type bracket struct {
	limit
	good, bad int64 // bad is 0 where all stay
}

func (b *bracket) done() bool { return b.bad == 0 || b.bad == b.good+1 }

// askCompiler finds the limits that the compiler has. All are looked for at once: a
// compilation takes as long for a hundred functions as for one.
func (t *toolchain) askCompiler(ctx context.Context, values map[string]Value) error {
	var found []*bracket
	var sizes []int64
	for n := int64(1); n <= mostAsked; n *= 2 {
		sizes = append(sizes, n)
	}
	var ask []question
	for _, l := range all {
		if l.kind == byCompiler {
			b := &bracket{limit: l, bad: -1}
			found = append(found, b)
			ask = append(ask, question{b, sizes})
		}
	}
	for len(ask) > 0 {
		if err := t.answer(ctx, ask); err != nil {
			return err
		}
		ask = ask[:0]
		for _, b := range found {
			if !b.done() {
				ask = append(ask, question{b, between(b.good, b.bad)})
			}
		}
	}
	for _, b := range found {
		values[b.key] = Value{N: b.good, AtLeast: b.bad == 0}
	}
	return nil
}

// between is at most [splits] sizes between two, evenly spread.
func between(good, bad int64) []int64 {
	var list []int64
	parts := min(bad-good, splits+1)
	for i := int64(1); i < parts; i++ {
		list = append(list, good+(bad-good)*i/parts)
	}
	return list
}

// A question is what of a limit is asked: sizes that rise.
type question struct {
	*bracket
	sizes []int64
}

// answer compiles a function for each size of each question and narrows the brackets.
func (t *toolchain) answer(ctx context.Context, ask []question) error {
	source := source(ask)
	name := filepath.Join(t.work, fileName)
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		return fmt.Errorf("no file to compile: %w", err)
	}
	// Without inlining there is one verdict for each function.
	said, err := t.goCommand(ctx, compileTime, "tool", "compile", "-p", "p", "-l", "-m", "-o", filepath.Join(t.work, "p.o"), fileName)
	if err != nil {
		return err
	}
	return judge(ask, said)
}

const fileName = "p.go"

// The file has one function a line. Those of control are there to see that the
// compiler's words are understood: without them a compiler that says something else
// would be taken for one that has no limit.
const (
	control = "package p\n" +
		"func use(b []byte) int { return len(b) }\n" +
		"func control() *int { var x int; return &x }\n" +
		"func control2() []byte { return make([]byte, 1) }\n" +
		"func control3() int { return use(make([]byte, 1)) }\n"
	controlMoved   = 3
	controlEscapes = 4
	controlStays   = 5
	firstLine      = 6
)

func source(ask []question) string {
	var b strings.Builder
	b.WriteString(control)
	line := firstLine
	for _, q := range ask {
		for _, n := range q.sizes {
			fmt.Fprintf(&b, "func f%d() { const N, M = %d, %d; %s }\n", line, n, n-1, q.body)
			line++
		}
	}
	return b.String()
}

// judge narrows the brackets of questions by what the compiler said.
func judge(ask []question, said string) error {
	told := read(said)
	for _, c := range []struct {
		line int
		want verdict
		what string
	}{
		{controlMoved, moved, "a variable whose address is returned"},
		{controlEscapes, escapes, "a slice that is returned"},
		{controlStays, stays, "a slice of one byte that is not returned"},
	} {
		if told[c.line] != c.want {
			return fmt.Errorf("this compiler's -m is not understood: of %s it says %s", c.what, told[c.line])
		}
	}
	line := firstLine
	for _, q := range ask {
		onHeap := int64(0)
		for _, n := range q.sizes {
			v := told[line]
			line++
			heap := v == moved
			if !q.variable {
				if v != escapes && v != stays {
					return fmt.Errorf("this compiler's -m is not understood: of %s with N = %d it says %s", q.label, n, v)
				}
				heap = v == escapes
			}
			switch {
			case heap && onHeap == 0:
				onHeap = n
			case !heap && onHeap != 0:
				return fmt.Errorf("%s is on the heap with N = %d and on the stack with N = %d: no limit", q.label, onHeap, n)
			case !heap:
				q.good = n
			}
		}
		switch {
		case onHeap != 0:
			q.bad = onHeap
		case q.bad < 0:
			q.bad = 0
		}
	}
	return nil
}

// A verdict is what the compiler says of a line.
type verdict int

const (
	nothing verdict = iota
	stays
	escapes
	moved
)

func (v verdict) String() string {
	return [...]string{"nothing", `"does not escape"`, `"escapes to heap"`, `"moved to heap"`}[v]
}

// read reads what -m prints about a file, by line. A line with several verdicts has the
// strongest.
func read(said string) map[int]verdict {
	told := map[int]verdict{}
	for text := range strings.Lines(said) {
		_, text, ok := strings.Cut(text, fileName+":")
		if !ok {
			continue
		}
		place, words, ok := strings.Cut(strings.TrimSpace(text), ": ")
		number, _, column := strings.Cut(place, ":")
		line, err := strconv.Atoi(number)
		if !ok || !column || err != nil {
			continue
		}
		v := nothing
		switch {
		case words == "moved to heap: x":
			v = moved
		case strings.HasSuffix(words, " escapes to heap"):
			v = escapes
		case strings.HasSuffix(words, " does not escape"):
			v = stays
		}
		told[line] = max(told[line], v)
	}
	return told
}
