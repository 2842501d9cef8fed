package prof

import (
	"encoding/json"
	"io"
	"slices"
)

// The file format of https://www.speedscope.app, as far as it is written here.
type speedscope struct {
	Schema   string              `json:"$schema"`
	Exporter string              `json:"exporter"`
	Name     string              `json:"name"`
	Shared   speedscopeShared    `json:"shared"`
	Profiles []speedscopeProfile `json:"profiles"`
}

type speedscopeShared struct {
	Frames []speedscopeFrame `json:"frames"`
}

type speedscopeFrame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

type speedscopeProfile struct {
	Type       string  `json:"type"`
	Name       string  `json:"name"`
	Unit       string  `json:"unit"`
	StartValue int64   `json:"startValue"`
	EndValue   int64   `json:"endValue"`
	Samples    [][]int `json:"samples"`
	Weights    []int64 `json:"weights"`
}

// WriteSpeedscope writes the profile for speedscope, a profile a type.
func (p *Profile) WriteSpeedscope(to io.Writer) error {
	out := speedscope{Schema: "https://www.speedscope.app/file-format-schema.json", Exporter: "seam prof", Name: p.Program,
		Shared: speedscopeShared{Frames: []speedscopeFrame{}}}
	for _, f := range p.Frames {
		out.Shared.Frames = append(out.Shared.Frames, speedscopeFrame{f.Func, f.File, f.Line})
	}
	for of, t := range p.Types {
		unit := t.Unit
		if unit == "count" {
			unit = "none"
		}
		x := speedscopeProfile{Type: "sampled", Name: t.Name, Unit: unit, EndValue: p.Total(of), Samples: [][]int{}, Weights: []int64{}}
		for _, s := range p.Stacks {
			if s.Values[of] == 0 {
				continue
			}
			outermost := slices.Clone(s.Frames)
			slices.Reverse(outermost)
			x.Samples = append(x.Samples, outermost)
			x.Weights = append(x.Weights, s.Values[of])
		}
		out.Profiles = append(out.Profiles, x)
	}
	return json.NewEncoder(to).Encode(out)
}
