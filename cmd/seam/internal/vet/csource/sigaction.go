package csource

import (
	"slices"
	"strconv"
	"strings"
)

// Installs are functions that install a handler without SA_ONSTACK.
var Installs = []string{"signal", "sigset", "bsd_signal", "sysv_signal", "__sysv_signal"}

// action is what a function has put into a local struct sigaction so far.
type action struct {
	flags   int64 // all that may be set
	handler bool  // a function of the program, not SIG_IGN or SIG_DFL
	unknown bool  // others may have set it
}

// onStack is SA_ONSTACK of Linux.
const onStack = 0x08000000

// setAction notes what an assignment puts into a struct sigaction, and which flags a temporary
// variable is made of.
func (b *body) setAction(op, to string, values []string) {
	if temporary(to) {
		b.constant[to] = b.flagsOf(values)
		return
	}
	name, member, _ := strings.Cut(to, ".")
	switch {
	case !b.local(name):
	case strings.HasSuffix(member, "sa_flags"):
		a := b.action(name)
		flags := b.flagsOf(values)
		a.flags |= max(flags, 0)
		a.unknown = a.unknown || flags < 0
	case strings.HasSuffix(member, "sa_handler"), strings.HasSuffix(member, "sa_sigaction"):
		a := b.action(name)
		_, number := number(values[0])
		a.handler = a.handler || !number && op == "addr_expr"
	case member == "" && op != "constructor": // a copy
		b.action(name).unknown = true
	}
}

// flagsOf are the flags that values are made of; -1 if one of them is not known.
func (b *body) flagsOf(values []string) (all int64) {
	for _, v := range values {
		n, ok := number(v)
		if !ok {
			n, ok = b.constant[v]
		}
		switch {
		case ok && n >= 0:
			all |= n
		case v == "NULL":
		case strings.HasSuffix(v, "sa_flags") && b.actions[strings.Split(v, ".")[0]] != nil: // |=
		default:
			return -1
		}
	}
	return all
}

func number(s string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSuffix(s, "B"), 10, 64)
	return n, err == nil
}

func (b *body) action(name string) *action {
	if b.actions[name] == nil {
		b.actions[name] = &action{}
	}
	return b.actions[name]
}

// useAction notes that a call is given a struct sigaction: sigaction takes one to install it,
// others may change it.
func (b *body) useAction(callee string, args []string) {
	if slices.Contains(Installs, callee) && len(args) == 2 && args[1] != "0B" && args[1] != "1B" { // SIG_DFL, SIG_IGN
		b.offStack = callee
	}
	for i, arg := range args {
		name, whole := strings.CutPrefix(arg, "&")
		if !whole || !b.local(name) {
			continue
		}
		switch {
		case callee == "sigaction" && i == 1:
			a := b.actions[name]
			if a != nil && a.handler && !a.unknown && a.flags&onStack == 0 {
				b.offStack = callee
			}
		case callee == "memset" || callee == "bzero" || callee == "explicit_bzero":
		default:
			b.action(name).unknown = true
		}
	}
}
