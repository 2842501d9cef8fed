// Package golangci is the rules of seam vet as a module plugin of golangci-lint. A linter with
// it is built by golangci-lint custom from .custom-gcl.yml:
//
//	version: v2.5.0
//	plugins:
//	  - module: github.com/seamgo/seam/cmd/seam
//	    import: github.com/seamgo/seam/cmd/seam/golangci
//	    version: latest
//
// and .golangci.yml switches it on:
//
//	version: "2"
//	linters:
//	  enable: [seam]
//	  settings:
//	    custom:
//	      seam:
//	        type: module
//	        settings:
//	          rules: [memory-leak, errno-thread] # all, if left out
//
// golangci-lint passes Go alone, so what the C does is unknown here, as with go vet.
package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
)

func init() { register.Plugin("seam", newPlugin) }

type settings struct {
	Rules []string `json:"rules"`
}

type plugin struct{ analyzers []*analysis.Analyzer }

func newPlugin(conf any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[settings](conf)
	if err != nil {
		return nil, err
	}
	rules, err := vet.Choose(s.Rules)
	if err != nil {
		return nil, err
	}
	return plugin{vet.AnalyzersAlone(rules)}, nil
}

// BuildAnalyzers returns the rules.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return p.analyzers, nil }

// GetLoadMode says that the rules need types.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
