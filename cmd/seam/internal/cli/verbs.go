package cli

import "github.com/alecthomas/kong"

// verbs is the command line: a field a verb, its type in a file of its own.
type verbs struct {
	Lab    labVerbs   `cmd:"" group:"cost" help:"Measure what crossings cost on this machine."`
	Doctor doctorVerb `cmd:"" group:"cost" help:"Show how the build here calls C and why, and what is wrong with compiler, kernel or machine."`

	Try     tryVerb     `cmd:"" group:"fast" help:"Find out whether welding makes a program faster, and with which plan."`
	Trace   traceVerb   `cmd:"" group:"fast" help:"Record what every C call of a program costs and where it comes from."`
	Plan    planVerb    `cmd:"" group:"fast" help:"Decide from traces and proofs how the program is to call each C function."`
	Weld    weldVerb    `cmd:"" group:"fast" help:"Build a program that calls C as its plan says, without a change to its source."`
	Explain explainVerb `cmd:"" group:"fast" help:"Show how a C call travels, what it costs and what it becomes when welded."`

	Vet    vetVerb    `cmd:"" group:"right" help:"Find unsafe, leaking and costly use of C in Go source."`
	Leaks  leaksVerb  `cmd:"" group:"right" help:"Find memory that Go gets from C and never frees."`
	Layout layoutVerb `cmd:"" group:"right" help:"Compare how Go and C lay out structs, and write checks that they agree."`

	Prof  profVerb   `cmd:"" group:"look" help:"Show where a program's time goes, in Go and C, without a change to it."`
	RSS   rssVerb    `cmd:"" name:"rss" group:"look" help:"Say where a process's memory is: C, Go, stacks, files, and which part of it grows."`
	Heap  heapVerb   `cmd:"" group:"look" help:"Say which stacks, through Go and C, hold the memory that C has allocated."`
	Stack stackVerbs `cmd:"" group:"look" help:"Show how goroutine stacks grow, and why."`
	Ring  ringVerb   `cmd:"" group:"look" help:"Look at the rings that a running process shares with others."`
	Call  callVerb   `cmd:"" group:"look" help:"Call a function of a Thrift service, with JSON."`

	Bind  bindVerb  `cmd:"" group:"make" help:"Write a Go package that calls a C library without cgo, from the library's header."`
	Cross crossVerb `cmd:"" group:"make" help:"Build a program with C for another system, and check what it needs there."`
	Gen   genVerbs  `cmd:"" group:"make" help:"Generate Go code for Thrift files; format them; compare two versions."`

	Help       helpVerb       `cmd:"" group:"self" help:"Show the help of a verb."`
	Completion completionVerb `cmd:"" group:"self" help:"Print what makes bash, zsh or fish complete calls of seam."`
	Man        manVerb        `cmd:"" group:"self" help:"Print the manual page."`
	Version    version        `cmd:"" group:"self" help:"Print the version of seam, as --version does."`

	Toolexec  toolexecVerb `cmd:"" hidden:"" help:"Run a tool of the go command: go build -toolexec 'seam toolexec'."`
	Headers   headersVerb  `cmd:"" hidden:"" help:"Write the C headers of Seam's packages to a folder."`
	LabWorker labWorker    `cmd:"" hidden:"" help:"Measure one experiment once for the lab that started this process."`
}

// groups are the verbs by what a user wants.
var groups = []kong.Group{
	{Key: "cost", Title: "What does it cost?"},
	{Key: "fast", Title: "Make a program faster"},
	{Key: "right", Title: "Find mistakes"},
	{Key: "look", Title: "Look inside a program"},
	{Key: "make", Title: "Build"},
	{Key: "self", Title: "About seam"},
}

const about = `What crossing from Go to C costs on this machine, and how to make it cheap.`

const appHelp = `Examples:
  seam lab --quick
  seam doctor
  seam trace -- go test -bench . ./... && seam plan && seam weld -- go build .

`
