// Package contracts has what is known of functions of widely used C libraries that no header says:
// what must be freed by what, what a function frees, keeps for ever or takes over, what may be NULL,
// and to which thread its effect belongs. It is data: a file a library, in [data], and for libraries with
// introspection a second one, LIBRARY.gir.txt, which gir writes.
package contracts

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Contract is what is known of a C function. Arguments count from 0.
type Contract struct {
	Library string
	New     []string // what frees the result, if it must be freed
	Frees   []int    // arguments that it frees
	ByPlace []int    // arguments that it frees what they point to: f(&p)
	Keeps   []int    // arguments that it keeps for ever: freeing them is a mistake
	Takes   []int    // arguments that it takes over and frees
	Static  bool     // the result belongs to the library, and is never freed
	Null    bool     // the result may be NULL
	Uses    bool     // it keeps nothing of its arguments, but for those above
	Binds   bool     // what it does counts for the thread that called it
	Program bool     // it returns the last error of all threads together
	Text    []int    // arguments that it reads as far as a 0
}

//go:embed data/*.txt
var data embed.FS

// pattern is a contract for all functions whose names match.
type pattern struct {
	name string
	c    *Contract
}

var all = sync.OnceValue(func() (known struct {
	exact    map[string]*Contract
	patterns []pattern
}) {
	known.exact = map[string]*Contract{}
	files, err := data.ReadDir("data")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		text, err := data.ReadFile("data/" + f.Name())
		if err != nil {
			panic(err)
		}
		library, _, _ := strings.Cut(f.Name(), ".")
		err = read(library, string(text), func(name string, c *Contract) {
			if below := known.exact[name]; below != nil && below.Library == library {
				c = c.over(below)
			}
			if strings.ContainsAny(name, "*?[") {
				known.patterns = append(known.patterns, pattern{name, c})
			} else {
				known.exact[name] = c
			}
		})
		if err != nil {
			panic(fmt.Sprintf("%s: %v", f.Name(), err)) // a test reads all of them
		}
	}
	return known
})

// over is a contract written by hand with what a generated one, LIBRARY.gir.txt, says besides. Who owns
// the arguments, and the result, is said by one of them alone.
func (c *Contract) over(below *Contract) *Contract {
	all := *c
	if !c.Uses {
		all.Frees, all.ByPlace, all.Keeps, all.Takes, all.Uses = below.Frees, below.ByPlace, below.Keeps, below.Takes, below.Uses
	}
	if len(c.New) == 0 && !c.Static {
		all.New, all.Static = below.New, below.Static
	}
	return &all
}

// Of returns what is known of a function, or nil.
func Of(name string) *Contract {
	known := all()
	if c := known.exact[name]; c != nil {
		return c
	}
	for _, p := range known.patterns {
		if ok, _ := path.Match(p.name, name); ok {
			return p.c
		}
	}
	return nil
}

// read reads lines "NAMES: WORDS". Names may have the wildcards of path.Match.
func read(library, text string, add func(name string, c *Contract)) error {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		names, words, ok := strings.Cut(line, ":")
		if !ok {
			return fmt.Errorf("line %d has no colon", number)
		}
		c := &Contract{Library: library}
		for _, w := range strings.Fields(words) {
			if err := c.set(w); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
		}
		for _, name := range strings.Fields(names) {
			if _, err := path.Match(name, ""); err != nil {
				return fmt.Errorf("line %d: %s: %w", number, name, err)
			}
			add(name, c)
		}
	}
	return nil
}

func (c *Contract) set(word string) error {
	key, value, valued := strings.Cut(word, "=")
	var args []int
	if valued && key != "new" {
		for a := range strings.SplitSeq(value, ",") {
			n, err := strconv.Atoi(a)
			if err != nil {
				return fmt.Errorf("%s: %s is no argument", word, a)
			}
			args = append(args, n)
		}
	}
	switch key {
	case "new":
		c.New = strings.Split(value, ",")
	case "frees":
		c.Frees, c.Uses = args, true
	case "frees-by-place":
		c.ByPlace, c.Uses = args, true
	case "keeps":
		c.Keeps, c.Uses = args, true
	case "takes":
		c.Takes, c.Uses = args, true
	case "text":
		c.Text = args
	case "static":
		c.Static = true
	case "null":
		c.Null = true
	case "uses":
		c.Uses = true
	case "binds":
		c.Binds = true
	case "program":
		c.Program = true
	default:
		return fmt.Errorf("%s is no word of a contract", word)
	}
	if valued == slices.Contains([]string{"static", "null", "uses", "binds", "program"}, key) {
		return fmt.Errorf("%s: a value too many, or none", word)
	}
	return nil
}
