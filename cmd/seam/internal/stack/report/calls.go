package report

import "slices"

// turns finds the functions that call each other over and over on a stack. It is given the
// functions whose calls were going on, innermost first; the result is one turn in the order
// of the calls, and whether the innermost one is part of it. Nothing is found where
// functions were only met again: handlers that wrap each other all go through one function,
// but what lies between is another one each time.
func turns(stack []Place) (turn []Place, innermost bool) {
	for from := range stack {
		for n := 1; from+n < len(stack); n++ {
			if stack[from+n] == stack[from] {
				if again(stack[from:], n) {
					turn = slices.Clone(stack[from : from+n])
					slices.Reverse(turn[1:])
					return turn, from == 0
				}
				break
			}
		}
	}
	return nil, false
}

// again reports whether the first n functions of a stack come again, in whatever order.
// Functions that come three times are asked for; of a turn that is longer than a quarter of
// what is known of a stack the second beginning must do.
func again(stack []Place, n int) bool {
	const longTurn = 9
	if n >= longTurn {
		return true
	}
	rest := stack[n+1:]
	for _, f := range stack[:n] {
		if !slices.Contains(rest, f) {
			return false
		}
	}
	return true
}

// calls says of a site which calls were going on there, and which functions call each
// other: as those calls have it or, where they don't show it, as the program's code has it.
func (b *Builder) calls(s *site, to *Site) {
	program := s.callee.program
	functions := []Place{to.Callee}
	for i, pc := range append([]uint64{s.caller.pc}, s.calls...) {
		// One less: a call may be its function's last instruction.
		f, _, ok := b.known(place{program, pc - 1})
		if !ok {
			break // C or assembly had the frame pointer
		}
		functions = append(functions, f)
		if i > 0 {
			to.Calls = append(to.Calls, b.call(place{program, pc}))
		}
	}
	if s.used < leastDepth {
		return
	}
	turn, innermost := turns(functions)
	if innermost {
		to.Ring = turn
		return
	}
	if c, ok := b.programs[program].names.(Caller); ok && program == s.caller.program {
		to.Ring = c.Way(s.callee.pc, s.caller.pc)
	}
	if len(to.Ring) == 0 {
		to.Below = turn
	}
}

// leastDepth is how much must have been in use until it is asked whether functions call
// each other in a ring: a stack of 8 KB fills without.
const leastDepth = 6 << 10
