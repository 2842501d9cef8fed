package vet

import (
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/seamgo/seam/cmd/seam/internal/vet/badignore"
	"github.com/seamgo/seam/cmd/seam/internal/vet/blockingcall"
	"github.com/seamgo/seam/cmd/seam/internal/vet/boundhandle"
	"github.com/seamgo/seam/cmd/seam/internal/vet/callbackinloop"
	"github.com/seamgo/seam/cmd/seam/internal/vet/callbacklock"
	"github.com/seamgo/seam/cmd/seam/internal/vet/cgoloop"
	"github.com/seamgo/seam/cmd/seam/internal/vet/cmemory"
	"github.com/seamgo/seam/cmd/seam/internal/vet/crossing"
	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
	"github.com/seamgo/seam/cmd/seam/internal/vet/deferloop"
	"github.com/seamgo/seam/cmd/seam/internal/vet/doublefree"
	"github.com/seamgo/seam/cmd/seam/internal/vet/emptyslice"
	"github.com/seamgo/seam/cmd/seam/internal/vet/errnoalone"
	"github.com/seamgo/seam/cmd/seam/internal/vet/errnothread"
	"github.com/seamgo/seam/cmd/seam/internal/vet/exportedpanic"
	"github.com/seamgo/seam/cmd/seam/internal/vet/exportresult"
	"github.com/seamgo/seam/cmd/seam/internal/vet/faterrorpath"
	"github.com/seamgo/seam/cmd/seam/internal/vet/finalizerfree"
	"github.com/seamgo/seam/cmd/seam/internal/vet/growingregistry"
	"github.com/seamgo/seam/cmd/seam/internal/vet/handlecopy"
	"github.com/seamgo/seam/cmd/seam/internal/vet/handleearly"
	"github.com/seamgo/seam/cmd/seam/internal/vet/handleleak"
	"github.com/seamgo/seam/cmd/seam/internal/vet/handlerace"
	"github.com/seamgo/seam/cmd/seam/internal/vet/keepalive"
	"github.com/seamgo/seam/cmd/seam/internal/vet/layout"
	"github.com/seamgo/seam/cmd/seam/internal/vet/lengthcut"
	"github.com/seamgo/seam/cmd/seam/internal/vet/lockacrossblock"
	"github.com/seamgo/seam/cmd/seam/internal/vet/measured"
	"github.com/seamgo/seam/cmd/seam/internal/vet/memoryleak"
	"github.com/seamgo/seam/cmd/seam/internal/vet/missingterminator"
	"github.com/seamgo/seam/cmd/seam/internal/vet/needlesscopy"
	"github.com/seamgo/seam/cmd/seam/internal/vet/nestedpointer"
	"github.com/seamgo/seam/cmd/seam/internal/vet/noescape"
	"github.com/seamgo/seam/cmd/seam/internal/vet/nullresult"
	"github.com/seamgo/seam/cmd/seam/internal/vet/oldpointer"
	"github.com/seamgo/seam/cmd/seam/internal/vet/ownership"
	"github.com/seamgo/seam/cmd/seam/internal/vet/pointerkept"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/seamcontract"
	"github.com/seamgo/seam/cmd/seam/internal/vet/signals"
	"github.com/seamgo/seam/cmd/seam/internal/vet/source"
	"github.com/seamgo/seam/cmd/seam/internal/vet/stackbuffer"
	"github.com/seamgo/seam/cmd/seam/internal/vet/threadlock"
	"github.com/seamgo/seam/cmd/seam/internal/vet/tinygoroutine"
	"github.com/seamgo/seam/cmd/seam/internal/vet/unwinding"
	"github.com/seamgo/seam/cmd/seam/internal/vet/useafterfree"
	"github.com/seamgo/seam/cmd/seam/internal/vet/values"
	"github.com/seamgo/seam/cmd/seam/internal/vet/windowssize"
	"github.com/seamgo/seam/cmd/seam/internal/vet/wrongfree"
)

// Rules are all rules, in the order of the documents.
var Rules = []*rule.Rule{
	memoryleak.Rule,
	doublefree.Rule,
	useafterfree.Rule,
	finalizerfree.Rule,
	keepalive.Rule,
	wrongfree.Rule,
	cmemory.Rule,
	oldpointer.Rule,
	handlecopy.Rule,
	deferloop.Rule,
	pointerkept.Rule,
	nestedpointer.Rule,
	missingterminator.Rule,
	lengthcut.Rule,
	windowssize.Rule,
	emptyslice.Rule,
	nullresult.Rule,
	handleleak.Rule,
	handleearly.Rule,
	handlerace.Rule,
	boundhandle.Rule,
	growingregistry.Rule,
	errnothread.Rule,
	errnoalone.Rule,
	threadlock.Rule,
	layout.Rule,
	lockacrossblock.Rule,
	callbacklock.Rule,
	exportedpanic.Rule,
	exportresult.Rule,
	unwinding.Rule,
	signals.Rule,
	noescape.Rule,
	cgoloop.Rule,
	blockingcall.Rule,
	callbackinloop.Rule,
	needlesscopy.Rule,
	stackbuffer.Rule,
	tinygoroutine.Rule,
	faterrorpath.Rule,
	seamcontract.Rule,
	badignore.Rule,
}

// names are those of all rules.
func names() (all []string) {
	for _, r := range Rules {
		all = append(all, r.Name)
	}
	return all
}

// knownNames are those of all rules, and the ones that some had before.
func knownNames() []string {
	all := names()
	for _, r := range Rules {
		if r.Formerly != "" && !slices.Contains(all, r.Formerly) {
			all = append(all, r.Formerly)
		}
	}
	return all
}

// named returns the rules that a name stands for: one, those that were one rule before, or none.
func named(name string) (some []*rule.Rule) {
	for _, r := range Rules {
		if r.Is(name) {
			some = append(some, r)
		}
	}
	return some
}

// Named returns the rule of a name, or nil.
func Named(name string) *rule.Rule {
	if i := slices.IndexFunc(Rules, func(r *rule.Rule) bool { return r.Name == name }); i >= 0 {
		return Rules[i]
	}
	return nil
}

// Analyzers returns rules as analyzers for any driver, for findings of all severities. facts
// says what is known about the C of a package, m what was measured; m may be nil.
func Analyzers(rules []*rule.Rule, facts func(path string) *csource.Facts, m *measured.Facts) []*analysis.Analyzer {
	return analyzers(rules, facts, rule.Inputs{Measured: m})
}

// AnalyzersAlone returns rules as analyzers for a driver that knows nothing of Seam: they obey
// the comments that ignore findings, report no notes, and know nothing about C.
func AnalyzersAlone(rules []*rule.Rule) []*analysis.Analyzer {
	return analyzers(rules, func(string) *csource.Facts { return nil }, rule.Inputs{Least: rule.Warning, Ignore: true})
}

func analyzers(rules []*rule.Rule, facts func(path string) *csource.Facts, in rule.Inputs) []*analysis.Analyzer {
	in.Names = knownNames()
	in.Source = source.NewAnalyzer(facts)
	in.Values = values.NewAnalyzer(in.Source)
	in.Ownership = ownership.NewAnalyzer(in.Source)
	in.Crossing = crossing.NewAnalyzer(in.Source)
	var list []*analysis.Analyzer
	for _, r := range rules {
		list = append(list, r.Analyzer(in))
	}
	return list
}
