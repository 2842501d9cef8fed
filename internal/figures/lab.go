package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/seamgo/seam/internal/results"
)

// fromLab takes the medians and comparisons of a run of the lab, whose format
// docs/lab-json.md describes.
func fromLab(text []byte) (results.Result, error) {
	var run struct {
		Schema, Mode, Started string
		Rounds                int
		Machine               struct {
			CPU, Kernel, Virtual, Go string
			Cores                    int
			Load                     float64
		}
		Experiments []struct {
			Name   string
			Series []struct {
				Name, Unit     string
				NotMeasured    string `json:"not_measured"`
				Median, Lo, Hi float64
			}
			Comparisons []struct {
				Name, Base, Unit string
				Ratio, Lo, Hi    float64
			}
		}
	}
	r := results.Result{Head: map[string]string{}}
	if err := json.Unmarshal(text, &run); err != nil {
		return r, err
	}
	if run.Schema != "seam.lab/1" {
		return r, fmt.Errorf("its schema is %q, not seam.lab/1", run.Schema)
	}
	names := ""
	for _, e := range run.Experiments {
		names += " " + e.Name
	}
	m := run.Machine
	machine := fmt.Sprintf("%s, %d processors", m.CPU, m.Cores)
	if m.Virtual != "" {
		machine += " (" + m.Virtual + ")"
	}
	flag := map[string]string{"quick": " --quick", "full": " --full"}[run.Mode]
	r.Set("command", "seam lab"+flag+names)
	r.Set("machine", machine)
	r.Set("kernel", m.Kernel)
	r.Set("go", m.Go)
	r.Set("date", run.Started[:min(10, len(run.Started))])
	r.Set("load", strconv.FormatFloat(m.Load, 'g', -1, 64))
	for _, e := range run.Experiments {
		for _, s := range e.Series {
			if s.NotMeasured != "" {
				continue
			}
			unit, scale := unitOf(s.Unit)
			f := results.Row{Name: s.Name, Unit: unit, Value: s.Median * scale, Low: s.Lo * scale, High: s.Hi * scale}
			if s.Lo == 0 && s.Hi == 0 {
				f.Low, f.High = f.Value, f.Value
			}
			r.Rows = append(r.Rows, f)
		}
		for _, c := range e.Comparisons {
			name := c.Name + " / " + c.Base
			if unit, _ := unitOf(c.Unit); unit != "ns" {
				name += " (" + c.Unit + ")"
			}
			r.Rows = append(r.Rows, results.Row{Name: name, Unit: "×", Value: c.Ratio, Low: min(c.Lo, c.Ratio), High: max(c.Hi, c.Ratio)})
		}
	}
	return r, nil
}

// unitOf is the unit in the files of results, and the factor.
func unitOf(unit string) (string, float64) {
	switch unit {
	case "ns/op", "ns/unit", "ns":
		return "ns", 1
	case "B/unit", "B/op", "B":
		return "B", 1
	case "count", "":
		return "", 1
	}
	return unit, 1
}
