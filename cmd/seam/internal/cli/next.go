package cli

import (
	"fmt"
	"os"
	"reflect"

	"github.com/alecthomas/kong"

	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// tell ends a verb that has done its work on a terminal: which page was written, and what
// people do next. In a log it would only be in the way.
func (s *session) tell(node *kong.Node) {
	if !s.tips && !terminal.Of(s.stderr).Interactive {
		return
	}
	if file := page(node.Target); file != "" && !output.IsStdout(file) {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			fmt.Fprintf(s.stderr, "wrote %s (%d KiB): open it in a browser\n", file, (info.Size()+1023)/1024)
		}
	}
	if v, ok := node.Target.Addr().Interface().(interface{ next() string }); ok {
		if line := v.next(); line != "" {
			fmt.Fprintf(s.stderr, "next: %s\n", line)
		}
	}
}

// page is the file of a verb's flag --html, if it has one and was given it.
func page(verb reflect.Value) string {
	field := verb.FieldByName("HTML")
	if field.IsValid() && field.Kind() == reflect.Pointer && !field.IsNil() {
		field = field.Elem()
	}
	if !field.IsValid() || field.Kind() != reflect.String {
		return ""
	}
	return field.String()
}

// What people do next.

func (v *labMeasure) next() string {
	if v.List {
		return "seam lab --quick call"
	}
	if v.JSON != nil {
		return fmt.Sprintf("seam lab compare %s NEW.json, when something has changed", *v.JSON)
	}
	return "seam trace -- go test -bench . ./... tells which of these prices your program pays"
}

func (*labCompare) next() string { return "seam lab --json FILE measures again" }
func (*doctorVerb) next() string { return "seam lab --quick measures what calls cost here" }
func (*traceVerb) next() string  { return "seam plan decides which of these calls can be leaves" }
func (*explainVerb) next() string {
	return "seam trace -- go test -bench . ./... tells how often a program makes the call"
}

func (v *planVerb) next() string {
	if v.Check {
		return ""
	}
	return "seam weld --compare -- go test -bench . ./... says what the plan brings"
}

func (v *weldVerb) next() string {
	if v.Compare {
		return "seam weld -- go build builds the program for use"
	}
	return "seam weld --compare -- go test -bench . ./... says what it brings"
}

func (v *leaksVerb) next() string {
	if v.Pprof != nil {
		return "go tool pprof -http : " + *v.Pprof
	}
	return "seam leaks --growing --check -- go test ./... is for CI"
}

// The last line of a profile says what is next, by what it shows.
func (v *profVerb) next() string {
	if v.Output != nil && !output.IsStdout(*v.Output) {
		return "go tool pprof -http : " + *v.Output
	}
	return ""
}

func (*vetVerb) next() string    { return "seam vet --confirm runs the tests to see which of these show" }
func (*layoutVerb) next() string { return "seam layout --write keeps the check in the code" }
func (*crossVerb) next() string {
	return "copy the program to the target, or try it here with qemu-user"
}
func (*ringVerb) next() string    { return "docs/ring.md says what the columns tell" }
func (*genGo) next() string       { return "seam gen --check is for CI" }
func (*headersVerb) next() string { return "compile C with -I and this folder" }
func (*stackTraceVerb) next() string {
	return "seam stack frames tells which functions need large stacks"
}
func (*stackFramesVerb) next() string {
	return "seam stack record -- go run . tells which of them grow stacks"
}
func (*stackLimitsVerb) next() string { return "seam stack frames tells what your functions take" }
