package callgraph

import (
	"slices"
	"strings"
	"testing"
)

// Each line of body is an instruction or a label.
func assemblyOf(bodies ...string) string {
	var b strings.Builder
	for _, body := range bodies {
		for line := range strings.SplitSeq(body, ";") {
			if line = strings.TrimSpace(line); strings.HasSuffix(line, ":") {
				b.WriteString(line + "\n")
				continue
			}
			b.WriteString("\t" + strings.Replace(line, " ", "\t", 1) + "\n")
		}
	}
	return b.String()
}

func TestDoomed(t *testing.T) {
	for _, c := range []struct {
		name, text string // function f, and others that it may call
		doomed     string
		ends       bool
	}{
		{"an assertion", "f:; cmpl %esi, %edi; jl .L1; ret; .L1:; call fprintf@PLT; call abort@PLT", "fprintf", false},
		{"on arm64", "f:; cbz x0, .L1; ret; .L1:; bl fprintf; bl abort", "fprintf", false},
		{"by a branch on arm64", "f:; b.gt .L1; ret; .L1:; tbnz w1, 3, .L2; .L2:; bl fprintf; brk #1000", "fprintf", false},
		{"both ways on arm64", "f:; bl puts; cbz x0, .L1; bl abort; .L1:; bl abort", "puts", true},
		{"apart", "f:; jl .L1; ret; f.cold:; .L1:; call fprintf@PLT; call abort@PLT", "fprintf", false},
		{"elsewhere too", "f:; call fprintf@PLT; jl .L1; ret; .L1:; call fprintf@PLT; call abort@PLT", "", false},
		{"two ways", "f:; jl .L1; ret; .L1:; call puts@PLT; je .L2; call exit@PLT; .L2:; ud2", "puts", false},
		{"only one of two", "f:; jl .L1; ret; .L1:; call puts@PLT; je .L2; call exit@PLT; .L2:; ret", "", false},
		{"always", "f:; call puts@PLT; call abort@PLT; .LFE1:", "puts", true},
		{"a loop", "f:; .L1:; call read@PLT; jne .L1; call abort@PLT", "", false},
		{"for ever", "f:; .L1:; call read@PLT; jmp .L1", "", false},
		{"it jumps away", "f:; call puts@PLT; call longjmp@PLT; call abort@PLT", "", false},
		{"a pointer may jump away", "f:; call puts@PLT; call *%rax; call fprintf@PLT; call abort@PLT", "fprintf", false},
		{"a pointer without PLT", "f:; call *puts@GOTPCREL(%rip); call *abort@GOTPCREL(%rip)", "puts", true},
		{"an unknown function may", "f:; call puts@PLT; call png_error@PLT; call abort@PLT", "", false},
		{"C++ may throw", "f:; call puts@PLT; call _Znwm@PLT; call abort@PLT", "", false},
		{"one of ours ends", "f:; jl .L1; ret; .L1:; call puts@PLT; call die; .LFE1:; die:; call fprintf@PLT; call abort@PLT", "die puts", false},
		{"one of ours returns", "f:; call die; call abort@PLT; die:; call fprintf@PLT; ret", "die", true},
		{"one of ours doesn't come back", "f:; call puts@PLT; call die; call abort@PLT; die:; .L3:; jmp .L3", "", false},
		{"a last call", "f:; call puts@PLT; jmp die; die:; call abort@PLT", "die puts", true},
		{"a last call that returns", "f:; call puts@PLT; jmp fprintf@PLT", "", false},
		{"a switch", "f:; call puts@PLT; notrack jmp *%rax; .L1:; call fprintf@PLT; call abort@PLT", "fprintf", false},
		{"in a ring", "f:; call die; die:; je .L1; call abort@PLT; .L1:; call f; ret", "", false},
		{"a jump in inline assembly", "f:; call puts@PLT; call abort@PLT\n#APP\n\tjmp .L9\n#NO_APP", "", false},
	} {
		u := &unit{Funcs: []*function{{Name: "a.c:f"}, {Name: "a.c:die"}}}
		text := assemblyOf(strings.Split(c.text, "\n")[0])
		if _, rest, more := strings.Cut(c.text, "\n"); more {
			text += rest + "\n"
		}
		flows, err := readFlow(u, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		markDoomed(u, flows)
		f := u.Funcs[0]
		if !slices.Equal(f.Doomed, strings.Fields(c.doomed)) || f.Ends != c.ends {
			t.Errorf("%s: doomed %q, ends %v; want %q, %v", c.name, f.Doomed, f.Ends, c.doomed, c.ends)
		}
	}
}
