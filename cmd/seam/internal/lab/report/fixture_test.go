package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// series makes a series with samples around its median, drawn from a fixed seed.
func series(name, unit, label, group string, median float64, ref *result.Reference) result.Series {
	s := result.Series{Name: name, Unit: unit, Label: label, Group: group, Reference: ref,
		Median: median, Lo: median * 0.991, Hi: median * 1.014, Outliers: 2}
	rng := rand.New(rand.NewPCG(1, uint64(len(name))))
	for i := range 6 {
		s.Samples = append(s.Samples, result.Sample{
			Round: 1 + i/3, Block: i % 3, N: 100_000, Value: median * (1 + 0.02*(rng.Float64()-0.5)), Outlier: i == 4,
		})
	}
	return s
}

func compare(e *result.Experiment, name, base string, r float64) {
	verdict := "slower"
	switch {
	case r < 0.97:
		verdict = "faster"
	case r < 1.03:
		verdict = "same"
	}
	e.Comparisons = append(e.Comparisons, result.Comparison{Name: name, Base: base, Unit: "ns/op",
		Ratio: r, Lo: r * 0.99, Hi: r * 1.012, Blocks: 90, Verdict: verdict})
}

var (
	cgoCost  = result.Source{Number: 1, Author: "A. Gopher", Title: "What cgo costs", Year: "2020", URL: "https://example.org/cgo", Go: "Go 1.14", Machine: "MacBook Pro 2019, i7 2.6 GHz"}
	switches = result.Source{Number: 2, Title: "On coroutines", Year: "2019"}
)

func published(n int, v float64) *result.Reference {
	notes := map[int]string{
		1: "MacBook Pro 2019, i7 2.6 GHz, Go 1.14",
		2: "2019",
	}
	return &result.Reference{Value: v, Source: n, Note: notes[n]}
}

// smallRun holds one of everything that a report can show.
func smallRun() *result.Run {
	e := result.Experiment{
		Name: "call", Title: "The price of a call", Rounds: 3, Sources: []result.Source{cgoCost},
		About: "Calls an empty function in each of the ways that Go has, and in Seam's, and takes the price of a cgo call apart.",
		Series: []result.Series{
			series("Call/via=go", "ns/op", "Go call, not inlined", "call", 1.93, published(1, 0.29)),
			series("Call/via=cgo", "ns/op", "cgo call, two integers", "call", 26.5, published(1, 55.9)),
			series("Call/via=cgo-ptr", "ns/op", "cgo call, pointer that escapes", "call", 40.2, nil),
			series("Call/via=cgo-noescape", "ns/op", "cgo call, pointer with noescape and nocallback", "call", 26.9, nil),
			series("Call/via=leaf", "ns/op", "leaf call", "call", 3.21, nil),
			{Name: "Call/via=perf", Unit: "ns/op", Label: "instructions of a call", Group: "perf",
				NotMeasured: "no hardware counters here (perf_event_open: no such file or directory)"},
		},
		Controls: []result.Comparison{{Name: "Call/via=go", Base: "Call/via=go", Unit: "ns/op", Ratio: 1.001, Lo: 0.996, Hi: 1.005, Blocks: 90, Verdict: "same"}},
		Findings: []string{
			"A C call costs 26.5 ns here, 13.7 times a Go call. It pays off from 41 ns of work; with leaf from 4 ns.",
			"A pointer argument that escapes adds 13.7 ns. #cgo noescape and nocallback take that away.",
		},
		Notes: []string{"The published figure is 55.9 ns, on a 2019 laptop with Go 1.14; entersyscall and exitsyscall have become cheaper since."},
		Charts: []result.Chart{
			{Kind: result.Bars, Title: "One call", Unit: "ns/op", Caption: "An empty function called in each way.",
				Bars: []result.Bar{
					{Label: "Go call, not inlined", Value: 1.93, Lo: 1.91, Hi: 1.96, Reference: 0.29},
					{Label: "leaf call", Value: 3.21, Lo: 3.18, Hi: 3.3},
					{Label: "cgo call, two integers", Value: 26.5, Lo: 26.3, Hi: 26.9, Reference: 55.9},
					{Label: "cgo call, pointer with noescape and nocallback", Value: 26.9, Lo: 25, Hi: 28.8},
					{Label: "cgo call, pointer that escapes", Value: 40.2, Lo: 38, Hi: 43},
				}},
			{Kind: result.Stacked, Title: "Where the price of a cgo call goes", Unit: "ns/op",
				Stacks: []result.Stack{
					{Label: "cgo call", Parts: []result.Part{{Label: "Go call", Value: 1.93}, {Label: "argument struct", Value: 2.4}, {Label: "stack switch", Value: 3.1}, {Label: "entersyscall and exitsyscall", Value: 15.6}, {Label: "wrapper", Value: 3.5}}},
					{Label: "leaf call", Parts: []result.Part{{Label: "Go call", Value: 1.93}, {Label: "stack switch", Value: 1.28}, {Label: "wrapper", Value: -0.04}}},
				}},
		},
	}
	e.Profiles = []result.Profile{profile()}
	e.Charts = append(e.Charts, result.Chart{Kind: result.Flame, Title: "Where the time of stores goes", Caption: "CPU time.", Profile: &e.Profiles[0]})
	compare(&e, "Call/via=cgo", "Call/via=go", 13.7)
	compare(&e, "Call/via=cgo-ptr", "Call/via=go", 20.8)
	compare(&e, "Call/via=cgo-noescape", "Call/via=go", 13.9)
	compare(&e, "Call/via=leaf", "Call/via=go", 1.663)
	return &result.Run{
		Seam: "v0.1.0", Commit: "0123456789abcdef0123456789abcdef01234567+dirty",
		Started: time.Date(2026, 10, 3, 9, 30, 0, 0, time.UTC), Seconds: 48.3, Mode: "quick", Seed: 42, Rounds: 3, Leaf: "assembly",
		Machine: machine.Facts{CPU: "AMD EPYC 7B13", Cores: 2, CacheL1D: 32 << 10, CacheL1I: 32 << 10, CacheL2: 512 << 10, CacheL3: 16 << 20,
			Memory: 8 << 30, Kernel: "Linux 6.1.0-18-cloud-amd64", GOOS: "linux", GOARCH: "amd64", Go: "go1.26.8", GOMAXPROCS: 2, Virtual: "KVM", Load: 0.12},
		Experiments: []result.Experiment{e},
	}
}

// profile is like that of a loop of stores while the collector marks.
func profile() result.Profile {
	p := result.Profile{Name: "Call/what=profile", Label: "stores", Unit: "ns",
		Kinds: []string{"Go code", "write barrier", "marking", "rest of the runtime", "C code and crossing"}}
	b := result.Build(&p)
	loop := []result.Call{{Function: "barrier.storeFor", Kind: 0}, {Function: "barrier.(*column[go.shape.*uint8]).store", Kind: 0}}
	b.Add(150e6, loop...)
	loop = append(loop, result.Call{Function: "gcWriteBarrier", Kind: 1}, result.Call{Function: "runtime.wbBufFlush", Kind: 1})
	b.Add(40e6, loop...)
	b.Add(260e6, append(loop, result.Call{Function: "runtime.wbBufFlush1", Kind: 1})...)
	mark := []result.Call{{Function: "runtime.gcBgMarkWorker", Kind: 2}, {Function: "runtime.gcDrain", Kind: 2}}
	for i := range 40 {
		b.Add(float64(1+i)*1e6, append(mark, result.Call{Function: fmt.Sprintf("runtime.scan%d", i), Kind: 2})...)
	}
	b.Add(2e6, result.Call{Function: "runtime.schedule", Kind: 3})
	b.Add(12e6, result.Call{Function: "main.work", Kind: 0}, result.Call{Function: "runtime.cgocall", Kind: 4}, result.Call{Function: "compress", Kind: 4})
	p.Bound(result.MaxFrames)
	return p
}

// fullRun is like a run of all experiments.
func fullRun() *result.Run {
	run := smallRun()
	run.Experiments = append(run.Experiments, gridExperiment(), switchExperiment(), spawnExperiment())
	return run
}

func gridExperiment() result.Experiment {
	e := result.Experiment{Name: "grid", Title: "When does calling C pay off?", Rounds: 3, Sources: []result.Source{cgoCost},
		About: "Sums 0..n in Go and in C, for growing n: where the lines cross, the work is worth the call."}
	work := []float64{10, 50, 100, 500, 1000, 5000, 10000}
	cost := map[string]func(n float64) float64{
		"go":   func(n float64) float64 { return 2 + 0.26*n },
		"cgo":  func(n float64) float64 { return 26.5 + 0.13*n },
		"leaf": func(n float64) float64 { return 3.2 + 0.13*n },
	}
	names := map[string]string{"go": "Go", "cgo": "C through cgo", "leaf": "C through leaf"}
	table := &result.Table{Head: []string{"n", "Go", "cgo", "leaf", "cgo ÷ Go", "leaf ÷ Go"}}
	lines := map[string]*result.Line{}
	for _, via := range []string{"go", "cgo", "leaf"} {
		lines[via] = &result.Line{Label: names[via]}
	}
	for _, n := range work {
		cells := []string{quantity.Compact(n)}
		for _, kind := range []string{"fold", "nofold"} {
			group := fmt.Sprintf("%v/%s", n, kind)
			base := fmt.Sprintf("Grid/work=%v/kind=%s/via=go", n, kind)
			for _, via := range []string{"go", "cgo", "leaf"} {
				v := cost[via](n)
				s := series(fmt.Sprintf("Grid/work=%v/kind=%s/via=%s", n, kind, via), "ns/op",
					fmt.Sprintf("%s, n=%v, %s", names[via], n, kind), group, v, nil)
				if via == "go" && kind == "fold" {
					s.Reference = published(1, 5+0.25*n)
				}
				e.Series = append(e.Series, s)
				if via != "go" {
					compare(&e, s.Name, base, v/cost["go"](n))
				}
				if kind == "nofold" {
					lines[via].Points = append(lines[via].Points, result.Point{X: n, Y: v, Lo: v * 0.93, Hi: v * 1.1})
					cells = append(cells, quantity.Format(v, "ns"))
				}
			}
			e.Controls = append(e.Controls, result.Comparison{Name: base, Base: base, Unit: "ns/op", Ratio: 1, Lo: 0.993, Hi: 1.006, Verdict: "same"})
		}
		table.Rows = append(table.Rows, append(cells, quantity.Ratio(cost["cgo"](n)/cost["go"](n)), quantity.Ratio(cost["leaf"](n)/cost["go"](n))))
	}
	dashed := &result.Line{Label: "cgo, published", Dashed: true}
	for _, n := range work {
		dashed.Points = append(dashed.Points, result.Point{X: n, Y: 57 + 0.001*n})
	}
	e.Findings = []string{"A C call pays off from 188 steps of work (51 ns of Go), with leaf from 9 steps (4.4 ns)."}
	e.Notes = []string{"gcc folds the C loop, so the C side does almost no work: the left variant shows the price of the call."}
	e.Charts = []result.Chart{
		{Kind: result.Lines, Title: "Work that can't be folded", XLabel: "steps of work", YLabel: "time of a call", Unit: "ns/op",
			Caption: "Both axes are logarithmic. The marks are the break-even points found by search.",
			Lines:   []result.Line{*lines["go"], *lines["cgo"], *lines["leaf"], *dashed},
			Marks: []result.Mark{
				{X: 188, Lo: 171, Hi: 203, Label: "cgo pays off from 188 (171–203)"},
				{X: 13, Lo: 12, Hi: 14.2, Label: "leaf pays off from 13 (12–14)"},
			}},
		{Kind: result.Grid, Title: "Price by work", Table: table},
	}
	return e
}

func switchExperiment() result.Experiment {
	e := result.Experiment{Name: "switch", Title: "The price of a switch", Sources: []result.Source{switches}, Rounds: 2,
		About: "Two sides hand control to each other, with working sets that they touch in between."}
	chart := result.Chart{Kind: result.Bars, Title: "One switch, no working set", Unit: "ns/op"}
	lines := result.Chart{Kind: result.Lines, Title: "The indirect cost: what cold caches add", XLabel: "working set, bytes", YLabel: "time of a switch and of touching it", Unit: "ns/op"}
	for _, k := range []struct {
		kind, label string
		ns, ref     float64
	}{
		{"syscall", "getpid system call", 58, 0}, {"iterpull", "iter.Pull", 63, 0}, {"goroutine", "goroutine (Gosched)", 88, 120},
		{"channel", "channel", 130, 0}, {"futex", "futex", 2400, 0}, {"thread", "thread", 2610, 0}, {"process", "process", 3120, 3500},
	} {
		var ref *result.Reference
		if k.ref > 0 {
			ref = published(2, k.ref)
		}
		l := result.Line{Label: k.label}
		for _, ws := range []float64{0, 16 << 10, 64 << 10, 1 << 20} {
			v := k.ns + ws*0.02
			name := fmt.Sprintf("Switch/kind=%s/ws=%.0f", k.kind, ws)
			e.Series = append(e.Series, series(name, "ns/op", k.label+", "+quantity.Tick(ws, "B"), fmt.Sprint(ws), v, ref))
			ref = nil
			if ws > 0 {
				l.Points = append(l.Points, result.Point{X: ws, Y: v})
			}
		}
		lines.Lines = append(lines.Lines, l)
		chart.Bars = append(chart.Bars, result.Bar{Label: k.label, Value: k.ns, Lo: k.ns * 0.97, Hi: k.ns * 1.06, Reference: k.ref})
	}
	e.Controls = []result.Comparison{
		{Name: "Switch/kind=goroutine/ws=0", Base: "Switch/kind=goroutine/ws=0", Unit: "ns/op", Ratio: 1.02, Lo: 1.012, Hi: 1.031, Verdict: "slower"},
		{Name: "Switch/kind=thread/ws=0", Base: "Switch/kind=thread/ws=0", Unit: "ns/op", Ratio: 1.001, Lo: 0.98, Hi: 1.02, Verdict: "same"},
	}
	e.Findings = []string{"A goroutine switch costs 88 ns, a thread switch 30 times that."}
	e.Charts = []result.Chart{chart, lines}
	return e
}

func spawnExperiment() result.Experiment {
	e := result.Experiment{Name: "spawn", Title: "The price of starting one", Sources: []result.Source{switches}, Rounds: 3}
	e.Series = []result.Series{
		series("Spawn/kind=goroutine", "ns/op", "goroutine: create, run, join", "time", 271, published(2, 400)),
		series("Spawn/kind=thread", "ns/op", "thread: create, run, join", "time", 14200, nil),
		series("Spawn/kind=process", "ns/op", "process: fork, exec, wait", "time", 612000, nil),
		series("Spawn/kind=goroutine", "B/unit", "parked goroutine", "memory", 2724, published(2, 2048)),
		series("Spawn/kind=thread", "B/unit", "parked thread", "memory", 10240, published(2, 8<<20)),
		series("Spawn/kind=million", "count", "goroutines parked at once", "million", 100000, published(1, 1e6)),
	}
	compare(&e, "Spawn/kind=thread", "Spawn/kind=goroutine", 52.4)
	compare(&e, "Spawn/kind=process", "Spawn/kind=goroutine", 2258)
	e.Charts = []result.Chart{{Kind: result.Bars, Title: "Memory of one that waits", Unit: "B/unit", Bars: []result.Bar{
		{Label: "goroutine", Value: 2724, Lo: 2720, Hi: 2728, Reference: 2048}, {Label: "thread", Value: 10240, Lo: 10200, Hi: 10900, Reference: 8 << 20}}}}
	return e
}

// hostileRun is full of what must not break a page: markup, control characters,
// lengths, emptiness, and numbers that are none.
func hostileRun() *result.Run {
	bad := []string{
		"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "{{.Run}}", "\x1b[31mred\x1b]0;title\a", "line\nBenchmarkX 1 1 ns/op",
		"", "日本語のとても長いラベル日本語のとても長いラベル日本語のとても長いラベル", "\u202eoverride", "\xff\xfe", "</style></svg></title>", "' onload='x", "javascript:alert(1)",
		"a very long label that goes on and on, word after word, until there is no room left for it in any chart or table at all",
		"averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylonglabelwithoutanyspace",
	}
	values := []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 1e-300, math.MaxFloat64, math.SmallestNonzeroFloat64, 5, 5, 5, 1, 1e9}
	run := &result.Run{Seam: bad[0], Commit: bad[1], Mode: bad[3], Leaf: "cgo", Seconds: math.NaN(), Interrupted: true,
		Machine: machine.Facts{CPU: bad[0], Kernel: bad[1], GOOS: bad[4], GOARCH: bad[2], Go: bad[3], Virtual: bad[9], Scaling: bad[10], Load: math.NaN()}}
	for i := range bad {
		b := func(n int) string { return bad[(i+n)%len(bad)] }
		v := func(n int) float64 { return values[(i+n)%len(values)] }
		e := result.Experiment{Name: b(0), Title: b(1), About: b(2), Findings: []string{b(3), b(4)}, Notes: []string{b(5), b(6)}}
		for n := range bad {
			e.Series = append(e.Series, result.Series{Name: b(n), Unit: b(n + 1), Label: b(n + 2), Group: b(n + 3),
				Median: v(n), Lo: v(n + 1), Hi: v(n + 2), Reference: &result.Reference{Value: v(n + 3), Note: b(n + 4)},
				Samples: []result.Sample{{N: -n, Value: v(n)}}})
			e.Comparisons = append(e.Comparisons, result.Comparison{Name: b(n), Base: b(n + 1), Unit: b(n + 1), Ratio: v(n), Lo: v(n + 1), Hi: v(n + 2), Verdict: b(n + 5)})
			e.Controls = append(e.Controls, e.Comparisons[n])
		}
		e.Series = append(e.Series, result.Series{Name: b(0), Label: b(1), NotMeasured: b(2) + "?"})
		for kind := result.Bars; kind <= result.Flame+1; kind++ {
			c := result.Chart{Kind: kind, Title: b(0), Caption: b(1), XLabel: b(2), YLabel: b(3), Unit: b(4),
				Table: &result.Table{Head: bad[:i], Rows: [][]string{bad, bad[i:], nil}}, Profile: &result.Profile{Name: "hostile", Unit: "ns"}}
			var points []result.Point
			var parts []result.Part
			for n := range bad {
				c.Profile.Kinds = append(c.Profile.Kinds, b(n))
				if f := (result.Frame{Function: b(n), Parent: n - 1, Kind: n, Value: v(n)}); i%2 == 0 { // what nobody has checked
					c.Profile.Frames = append(c.Profile.Frames, f)
				} else {
					f.Parent, f.Value = max(-1, n-5), 1e6/math.Pow(9, float64(n))
					c.Profile.Frames = append(c.Profile.Frames, f)
				}
				c.Bars = append(c.Bars, result.Bar{Label: b(n), Value: v(n), Lo: v(n + 1), Hi: v(n + 2), Reference: v(n + 3)})
				parts = append(parts, result.Part{Label: b(n), Value: v(n)})
				points = append(points, result.Point{X: v(n), Y: v(n + 1), Lo: v(n + 2), Hi: v(n + 3)})
				c.Stacks = append(c.Stacks, result.Stack{Label: b(n), Parts: parts})
				c.Lines = append(c.Lines, result.Line{Label: b(n), Points: points})
				c.Marks = append(c.Marks, result.Mark{X: v(n), Lo: v(n + 1), Hi: v(n + 2), Label: b(n)})
			}
			e.Charts = append(e.Charts, c, result.Chart{Kind: kind, Table: &result.Table{}}, result.Chart{Kind: kind})
		}
		run.Experiments = append(run.Experiments, e)
	}
	return run
}
