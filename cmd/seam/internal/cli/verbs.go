package cli

// verbs is the command line: a field a verb, its type in a file of its own.
type verbs struct {
	Lab       labVerbs     `cmd:"" help:"Measure what crossings cost on this machine."`
	Doctor    doctorVerb   `cmd:"" help:"Show how the build here calls C and why, and what is wrong with compiler, kernel or machine."`
	Trace     traceVerb    `cmd:"" help:"Record what every C call of a program costs and where it comes from."`
	Plan      planVerb     `cmd:"" help:"Decide from traces and proofs which C functions to call as leaves."`
	Weld      weldVerb     `cmd:"" help:"Build a program so that it calls the C functions of a plan as leaves."`
	Cross     crossVerb    `cmd:"" help:"Build a program with C for another system, and check what it needs there."`
	Explain   explainVerb  `cmd:"" help:"Show how a C call travels, what it costs and what it becomes when welded."`
	Prof      profVerb     `cmd:"" help:"Show where a program's time goes, in Go and C, without a change to it."`
	Leaks     leaksVerb    `cmd:"" help:"Find memory that Go gets from C and never frees."`
	Vet       vetVerb      `cmd:"" help:"Find unsafe, leaking and costly use of C in Go source."`
	Toolexec  toolexecVerb `cmd:"" help:"Run a tool of the go command: go build -toolexec 'seam toolexec'."`
	Gen       genVerbs     `cmd:"" help:"Generate Go code for Thrift files; format them; compare two versions."`
	Stack     stackVerbs   `cmd:"" help:"Show how goroutine stacks grow, and why."`
	Ring      ringVerb     `cmd:"" help:"Look at the rings that a running process shares with others."`
	Layout    layoutVerb   `cmd:"" help:"Compare how Go and C lay out structs, and write checks that they agree."`
	Headers   headersVerb  `cmd:"" help:"Write the C headers of Seam's packages to a folder."`
	Version   version      `cmd:"" help:"Print the version of seam."`
	LabWorker labWorker    `cmd:"" hidden:"" help:"Measure one experiment once for the lab that started this process."`
}

const about = `What crossing from Go to C costs on this machine, and how to make it cheap.`

const appHelp = `Examples:
  seam lab --quick
  seam doctor
  seam trace -- go test -bench . ./... && seam plan && seam weld -- go build .

`
