package frames

// An inst is what we need to know of an instruction.
type inst struct {
	pc   uint64
	kind kind
	to   uint64 // where it goes; the address of an address
	dst  int8   // the register that it writes, noReg if none that we follow
	src  int8   // a move, a store: the register that it copies; noReg for something else
	slot int64  // a load, a store: the word of the frame, from the stack pointer
}

type kind uint8

const (
	other       kind = iota
	call             // of an address
	callPointer      // of what a register or memory holds
	jump             // to an address
	branch           // to an address, or on
	jumpTable        // within the function, to one of a table
	jumpPointer      // to what a register holds
	back             // return
	stop             // nothing follows: the trap that the compiler puts behind what doesn't return
	address          // puts an address into a register
	move             // copies a register
	load             // copies a word of the frame to a register
	store            // copies a register to a word of the frame
	unknown          // can't be read
)

const noReg = -1

// A decoder disassembles the code of a function. Addresses in the result are not
// checked.
type decoder interface {
	decode(code []byte, pc uint64, list []inst) []inst

	// argument is the register that a function's argument comes in, the first (0)
	// or the second.
	argument(i int) int8
	// returnAddress is how many bytes a call pushes.
	returnAddress() int64
}

var decoders = map[string]decoder{"amd64": amd64{}, "arm64": arm64{}}
