package csource

import (
	"regexp"
	"testing"
)

// What takes lines apart by hand must do what these expressions do, which are easier to read.
var (
	statementForm = regexp.MustCompile(`^\s*gimple_(\w+) <(.*)>\s*$`)
	wordForm      = regexp.MustCompile(`[A-Za-z_$][\w$.]*`)
	temporaryForm = regexp.MustCompile(`^[\w$]*[._][0-9]+$`)
)

var dumpLines = []string{
	"  gimple_assign <addr_expr, _1, &a.b, NULL, NULL>",
	"    gimple_call <strlen, _2, \"a, >b\">",
	"gimple_bind <",
	"  gimple_cond <ne_expr, p_1, 0B, <D.1>, <D.2>>",
	"  gimple_asm <",
	"gimple_ <x>",
	"int x.1;", "_1", "p.2", "p_", "._1", "1_1", "a.b_12", "$_0", "12", "", "_", "MEM[(struct box *)p].name", "&a[12].b", "*p", "é_1",
	"  gimple_label <<D.1>>  ",
}

func checkForms(t *testing.T, line string) {
	kind, args, ok := statement(line)
	m := statementForm.FindStringSubmatch(line)
	if ok && (kind == "" || wordForm.FindString(kind) != kind) {
		ok, kind, args = false, "", "" // no statement has such a name
	}
	if (m != nil) != ok || ok && (m[1] != kind || m[2] != args) {
		t.Errorf("statement(%q) is %q %q %v, want %q", line, kind, args, ok, m)
	}
	words := wordForm.FindAllString(line, -1)
	first, last := "", ""
	if len(words) > 0 {
		first, last = words[0], words[len(words)-1]
	}
	if firstWord(line) != first || lastWord(line) != last {
		t.Errorf("%q begins with %q and ends with %q, want %q and %q", line, firstWord(line), lastWord(line), first, last)
	}
	if temporary(line) != temporaryForm.MatchString(line) {
		t.Errorf("temporary(%q) is %v", line, temporary(line))
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	for _, line := range dumpLines {
		checkForms(t, line)
	}
}

func FuzzForms(f *testing.F) {
	for _, line := range dumpLines {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if regexp.MustCompile(`[\n\r\v\f]|gimple_\w*[^\w\s]|gimple_\d|gimple_[^<]*\.`).MatchString(line) {
			return // no line of a dump
		}
		checkForms(t, line)
	})
}
