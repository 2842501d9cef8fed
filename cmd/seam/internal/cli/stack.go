package cli

// stackVerbs are the verbs that look at goroutine stacks.
type stackVerbs struct {
	Trace  stackTraceVerb  `cmd:"" help:"Show how the goroutine stacks of a program are allocated, grow and shrink, and which calls cause it."`
	Frames stackFramesVerb `cmd:"" help:"Show which functions need large stacks, before the program runs."`
	Limits stackLimitsVerb `cmd:"" help:"Find out what the compiler keeps on the stack, and where a stack overflows."`
	Exec   stackExecVerb   `cmd:"" hidden:"" help:"Start a program for the seam stack trace that started the go command."`
}
