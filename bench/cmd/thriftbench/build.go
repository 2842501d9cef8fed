package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/seamgo/seam/bench/internal/table"
	"github.com/seamgo/seam/bench/thrift/buildcost"
)

// What our code for 300 structs may cost, on two processors.
const (
	goalStructs  = 300
	goalGenerate = 150 * time.Millisecond
	goalBuild    = 4 * time.Second
	goalText     = 1500 << 10
)

func (b *bench) build(ctx context.Context) error {
	defer b.stderr.Say("")
	names := buildcost.Compilers()
	costs := make([]buildcost.Cost, len(names))
	for _, i := range rand.Perm(len(names)) {
		b.stderr.Say("building the code of %s", names[i])
		dir, err := os.MkdirTemp("", "thriftbench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o := buildcost.Options{Seam: b.seam, Dir: dir, Structs: b.structs, Repeat: b.repeat}
		if b.verbose {
			o.Log = b.stderr
		}
		costs[i], err = buildcost.Measure(ctx, names[i], o)
		if err != nil {
			return err
		}
	}
	b.stderr.Say("")
	fmt.Fprintf(b.stdout, "build: %d structs of 12 fields, medians of %d; go build of the package alone; text: functions in its archive\n\n", b.structs, b.repeat)
	var rows [][]table.Cell
	for _, c := range costs {
		row := []table.Cell{{Text: c.Compiler}, {Text: table.Duration(float64(c.Generate))}, {Text: strconv.Itoa(c.Lines)},
			{Text: table.Duration(float64(c.Build))}, {Text: table.Size(float64(c.Text))}}
		if c.Compiler == "seam" && b.structs == goalStructs {
			for i, reached := range map[int]bool{1: c.Generate <= goalGenerate, 3: c.Build <= goalBuild, 4: c.Text <= goalText} {
				row[i].Tone = table.Good
				if !reached {
					row[i].Tone = table.Bad
					b.missed++
				}
			}
		}
		rows = append(rows, row)
	}
	if b.structs == goalStructs {
		rows = append(rows, []table.Cell{{Text: "goal of seam", Tone: table.Faint}, {Text: "≤" + table.Duration(float64(goalGenerate)), Tone: table.Faint}, {},
			{Text: "≤" + table.Duration(float64(goalBuild)), Tone: table.Faint}, {Text: "≤" + table.Size(goalText), Tone: table.Faint}})
	}
	return table.Write(b.stdout, []table.Column{{Head: "compiler"}, {Head: "generate", Right: true}, {Head: "lines", Right: true},
		{Head: "go build", Right: true}, {Head: "text", Right: true}}, rows)
}
