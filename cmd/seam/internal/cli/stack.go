package cli

// stackVerbs are the verbs that look at goroutine stacks.
type stackVerbs struct {
	Trace  stackTraceVerb  `cmd:"" aliases:"record" help:"Show how a program's goroutine stacks are allocated, grow and shrink, and which calls make them."`
	Frames stackFramesVerb `cmd:"" help:"Show which functions need large stacks, before the program runs."`
	Limits stackLimitsVerb `cmd:"" help:"Find what the compiler keeps on the stack, and where a stack overflows."`
	Exec   stackExecVerb   `cmd:"" hidden:"" help:"Start a program for the seam stack trace that started the go command."`
}
