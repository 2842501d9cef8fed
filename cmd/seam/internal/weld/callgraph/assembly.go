package callgraph

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
)

var (
	label        = regexp.MustCompile(`^([A-Za-z_$][\w.$]*):`)
	setDirective = regexp.MustCompile(`^\s*\.(?:set|equ|thumb_set)\s+([A-Za-z_$][\w.$]*)\s*,\s*([A-Za-z_$][\w.$]*)\s*$`)
	ifunc        = regexp.MustCompile(`^\s*\.type\s+([A-Za-z_$][\w.$]*)\s*,\s*[@%#]?"?gnu_indirect_function`)
	namesInline  = regexp.MustCompile(`\.(?:set|equ|equiv|eqv|globa?l|weak\w*|symver|thumb_set|include|macro|type|section|pushsection)\b|(?:^|;)\s*[A-Za-z_$][\w.$]*\s*=|(?:^|;)\s*[A-Za-z_$][\w$]*:`)
	statement    = regexp.MustCompile(`^(?:[\w.$]+:\s*)*(?:(?:rep|repe|repne|repz|repnz|lock|notrack|bnd|data16)\s+)*([a-zA-Z][\w.]*)\s*(.*)$`)
	localLabel   = regexp.MustCompile(`^(?:[0-9]+[bf]|\.L[\w.$]*)$`) // a place in the same statement or function
)

// transfers are instructions of inline assembly that call, jump away, enter the
// kernel or wait. A jump counts unless it leads to a local label.
var transfers = map[string]bool{
	// amd64 and 386
	"call": true, "callq": true, "calll": true, "lcall": true, "jmp": true, "jmpq": true, "ljmp": true,
	"syscall": true, "sysenter": true, "sysexit": true, "int": true, "iret": true, "iretq": true,
	"hlt": true, "mwait": true, "mwaitx": true, "umwait": true, "tpause": true, "xbegin": true, "vmcall": true,
	"ret": true, "retq": true,
	// arm and arm64
	"bl": true, "blx": true, "blr": true, "b": true, "br": true, "bx": true, "svc": true, "swi": true, "hvc": true,
	"smc": true, "wfe": true, "wfi": true, "wfet": true, "wfit": true,
	// others
	"ecall": true, "jal": true, "jalr": true, "tail": true, "sc": true, "brasl": true, "basr": true,
}

// readAssembly adds to u what the assembly shows and the graph does not: aliases, and
// inline assembly that transfers control.
func readAssembly(u *unit, r io.Reader) error {
	byName := map[string]*function{}
	for _, f := range u.Funcs {
		byName[symbolOf(f.Name)] = f
	}
	var current *function
	inline := false
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		text, err := shortLine(lines)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		switch trimmed := strings.TrimSpace(text); {
		case inlineStarts(trimmed):
			inline = true
		case inlineEnds(trimmed):
			inline = false
		case inline:
			u.Names = u.Names || namesInline.MatchString(trimmed)
			if current != nil && current.Assembly == "" {
				current.Assembly = transferIn(trimmed)
			}
		case strings.HasPrefix(text, "\t.quad\t"), strings.HasPrefix(text, "\t.xword\t"), strings.HasPrefix(text, "\t.8byte\t"):
			if name := text[strings.LastIndexByte(text, '\t')+1:]; identifier.MatchString(name) && !slices.Contains(u.Data, name) {
				u.Data = append(u.Data, name)
			}
		case strings.HasPrefix(text, "\t.weak\t"):
			u.Weak = append(u.Weak, strings.Fields(text)[1])
		case text == "" || text[0] == '\t' && text[len(text)-1] != 'n' && !strings.HasPrefix(text, "\t.set"):
			// Most lines: neither a label nor a directive of the two below.
		default:
			if m := label.FindStringSubmatch(text); m != nil {
				// Cold parts of a function are placed apart; clang makes them functions.
				name, _, _ := strings.Cut(m[1], ".cold")
				if f := cmp.Or(byName[m[1]], byName[name]); f != nil {
					current = f
				}
			} else if m := ifunc.FindStringSubmatch(text); m != nil {
				u.alias(m[1], indirectCall)
			} else if m := setDirective.FindStringSubmatch(text); m != nil && byName[m[2]] != nil {
				if u.Aliases[m[1]] != indirectCall {
					u.alias(m[1], m[2])
				}
			}
		}
	}
}

func (u *unit) alias(name, of string) {
	if u.Aliases == nil {
		u.Aliases = map[string]string{}
	}
	u.Aliases[name] = of
}

// inlineStarts and inlineEnds recognise the marks that gcc and clang put around inline assembly.
func inlineStarts(line string) bool {
	return line == "#APP" || line == "//APP" || strings.HasSuffix(line, "Start of user assembly") || strings.HasSuffix(line, "Start of file scope inline assembly") || line == ".syntax divided"
}

func inlineEnds(line string) bool {
	return line == "#NO_APP" || line == "//NO_APP" || strings.HasSuffix(line, "End of user assembly") || strings.HasSuffix(line, "End of file scope inline assembly") || strings.HasPrefix(line, ".syntax unified")
}

// transferIn returns the first instruction of a line that transfers control.
func transferIn(line string) string {
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "@") {
		return ""
	}
	for _, s := range strings.Split(line, ";") {
		m := statement.FindStringSubmatch(strings.TrimSpace(s))
		if m == nil {
			continue
		}
		name := strings.ToLower(m[1])
		if transfers[name] && !localLabel.MatchString(strings.TrimSpace(m[2])) {
			return name
		}
	}
	return ""
}

// maxLine is how much of a line is looked at. Data may stand in lines of any
// length; nothing that is looked for does.
const maxLine = 4 << 10

// shortLine reads a line, of which it returns the beginning.
func shortLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, more, err := r.ReadLine()
		if err != nil {
			return "", err
		}
		if len(line) < maxLine {
			line = append(line, part[:min(len(part), maxLine-len(line))]...)
		}
		if !more {
			return string(line), nil
		}
	}
}
