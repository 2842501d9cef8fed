package limits

// A kind is how a limit is found.
type kind int

const (
	byCompiler kind = iota // the compiler's verdicts
	atRunTime              // a program counts
	byOverflow             // a program dies
)

// The units of figures.
const (
	unitBytes  = "bytes"
	unitFrames = "frames"
)

// A limit is one row of the table.
type limit struct {
	key, label string
	unit       string
	kind       kind
	about      string
	published  string // figure of “Буфера на стеке горутины” (2020), Go 1.13.8

	// Of those that the compiler tells: the body of a function with one variable of N
	// bytes, M being N-1; and whether the compiler speaks of it only when it is moved.
	body     string
	variable bool

	// varies marks a figure that differs with the size of a frame, so that another one
	// in another version is no change of a limit.
	varies bool
}

var all = []limit{
	{
		key: "variable", label: "var x [N]byte", unit: unitBytes, kind: byCompiler, published: "10 MB",
		about: "largest variable that is declared and stays on the stack",
		body:  "var x [N]byte; use(x[:])", variable: true,
	},
	{
		key: "make", label: "make([]byte, N), constant", unit: unitBytes, kind: byCompiler, published: "64 KB - 1",
		about: "largest slice of constant size that make leaves on the stack",
		body:  "use(make([]byte, N))",
	},
	{
		key: "new", label: "new([N]byte)", unit: unitBytes, kind: byCompiler,
		about: "largest value that new leaves on the stack",
		body:  "use(new([N]byte)[:])",
	},
	{
		key: "literal", label: "&[N]byte{}", unit: unitBytes, kind: byCompiler,
		about: "largest literal that stays on the stack when its address is taken",
		body:  "use((&[N]byte{})[:])",
	},
	{
		key: "slice_literal", label: "[]byte{N-1: 1}", unit: unitBytes, kind: byCompiler,
		about: "largest slice literal that stays on the stack",
		body:  "use([]byte{M: 1})",
	},
	{
		key: "make_variable", label: "make([]byte, n), variable", unit: unitBytes, kind: atRunTime,
		about: "largest n for which make doesn't allocate, if the compiler doesn't know n",
	},
	{
		key: "append", label: "append, not returned", unit: unitBytes, kind: atRunTime,
		about: "largest slice that append makes from nil without an allocation, byte by byte",
	},
	{
		key: "append_returned", label: "append, returned", unit: unitBytes, kind: atRunTime,
		about: "largest slice that append makes from nil with one allocation, 8 bytes at a time, for a caller",
	},
	{
		key: "string_bytes", label: "[]byte(s), written to", unit: unitBytes, kind: atRunTime,
		about: "longest string that is copied to a slice without an allocation, if the compiler doesn't know its length",
	},
	{
		key: "start", label: "a goroutine's first stack", unit: unitBytes, kind: atRunTime, published: "2 KB",
		about: "stack that a goroutine starts with (GODEBUG=adaptivestackstart=0)",
	},
	{
		key: "max", label: "limit of a stack", unit: unitBytes, kind: atRunTime, published: "1 GB",
		about: "what debug.SetMaxStack has at the start",
	},
	{
		key: "overflow_stack", label: "largest stack under it", unit: unitBytes, kind: byOverflow,
		about: "the stack that overflowed; the next would be twice the size, above the limit",
	},
	{
		key: "overflow_frames", label: "calls with 64 KB each in it", unit: unitFrames, kind: byOverflow, published: "50+", varies: true,
		about: "how often a function with a variable of 64 KB called itself",
	},
}
