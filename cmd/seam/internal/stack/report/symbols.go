package report

import "github.com/seamgo/seam/cmd/seam/internal/stack/event"

// Symbols finds the programs that wrote a log.
type Symbols interface {
	// Program is called when a process has begun: while it runs, if the log is read as
	// it is written. start is its first event; one of a plain log is empty but for its
	// kind. The result must be comparable, and equal for processes that run the same
	// file, so that their numbers are added up. It is nil if the program isn't known.
	Program(start *event.Event) Program
}

// A Program names addresses in its code. They count from the beginning of the program's
// text; those of a plain log, where that isn't known, from 0. Its methods are called
// when the log has ended.
type Program interface {
	// Name is the program's file.
	Name() string
	// Func is the function that an address lies in, where that is declared, and the size
	// of its frame.
	Func(pc uint64) (at Place, frame int64, ok bool)
	// Call is the call that returns to an address.
	Call(pc uint64) (at Place, ok bool)
	// Err tells why there are no names.
	Err() error
}

// A Debugger is a Program that knows the variables in its frames.
type Debugger interface {
	// Largest is the largest variable in the frame of the function that an address lies
	// in; nil if that isn't known.
	Largest(pc uint64) *Variable
}

// A Caller is a Program that knows which functions call which.
type Caller interface {
	// Way is how the function that an address lies in may call the one from which a call
	// returns to another address: by which functions, both included; nil if no way is known.
	Way(function, call uint64) []Place
}

// largeFrame is from where it matters what a frame holds.
const largeFrame = 512

// variable is the largest in the frame of the function that an address lies in.
func (b *Builder) variable(p place) *Variable {
	if d, ok := b.programs[p.program].names.(Debugger); ok {
		return d.Largest(p.pc)
	}
	return nil
}

// A program is one of those that the log is of.
type program struct {
	names Program // nil if not known
	text  uint64  // where its text was, in the first process
}

// build tells programs apart whose file isn't known.
type build struct {
	version    string
	size, hash uint64
}

// programOf returns the number of a process's program.
func (b *Builder) programOf(e *event.Event) int32 {
	var names Program
	if b.options.Symbols != nil {
		names = b.options.Symbols.Program(e)
	}
	var key any = build{e.Version, e.Etext - e.Text, e.Build}
	if names != nil {
		key = names
	}
	if i, ok := b.programAt[key]; ok {
		return i
	}
	if len(b.programs) >= maxPrograms {
		return 0
	}
	i := int32(len(b.programs))
	b.programs = append(b.programs, program{names, e.Text})
	b.programAt[key] = i
	return i
}

// A place is an address in a program, before it has a name.
type place struct {
	program int32
	pc      uint64
}

// function names the function that an address lies in.
func (b *Builder) function(p place) (Place, int64) {
	if at, frame, ok := b.known(p); ok {
		return at, frame
	}
	return Place{Func: address(b.programs[p.program].text + p.pc)}, 0
}

// known names it if it has a name.
func (b *Builder) known(p place) (at Place, frame int64, ok bool) {
	if names := b.programs[p.program].names; names != nil {
		return names.Func(p.pc)
	}
	return at, 0, false
}

// call names the call that returns to an address.
func (b *Builder) call(p place) Place {
	program := &b.programs[p.program]
	if program.names != nil {
		if at, ok := program.names.Call(p.pc); ok {
			return at
		}
	}
	return Place{Func: address(program.text + p.pc)}
}
