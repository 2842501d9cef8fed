package result

// In a file in the Go benchmark format, what differs between runs that one
// wants to compare stands in comments of the form "#seam key: value". As plain
// configuration lines it would make benchstat set up a table for each value,
// and never put the old run beside the new one.
const (
	FactPrefix = "#seam "
	KeyGo      = "go"     // version of Go
	KeyCommit  = "commit" // git commit of the working directory
	KeySeam    = "seam"   // version of the tool
	KeyLeaf    = "leaf"   // path that package leaf took
	KeyRound   = "round"  // which fresh process the samples below are from
)
