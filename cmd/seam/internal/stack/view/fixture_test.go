package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

const kb = 1 << 10

func place(function, file string, line int) report.Place {
	return report.Place{Func: function, File: file, Line: line}
}

// runtimeMain is what the first goroutine begins with.
func runtimeMain(n int64) report.Entry {
	return report.Entry{Func: place("runtime.main", "/usr/local/go/src/runtime/proc.go", 147), Go: place("runtime.rt0_go", "/usr/local/go/src/runtime/asm_amd64.s", 397), Count: n}
}

func totalsOf(count, copied, time, longest int64) report.Totals {
	return report.Totals{Count: count, Copied: copied, Time: time, Longest: longest}
}

// empty is a program in which no stack grew.
func empty() *report.File {
	return &report.File{
		Header: report.Header{
			Seam: "v1.2.3", Go: "go1.26.8", OS: "linux", Arch: "amd64", Command: []string{"go", "run", "."},
			Time: time.Date(2026, 11, 22, 2, 36, 38, 0, time.UTC),
		},
		Settings:  report.Settings{Adaptive: "0", Starts: []int64{2 * kb}, Procs: []int{0, 2}, Guard: 928},
		Processes: []report.Process{{PID: 7, Program: "/tmp/empty", Go: "go1.26.8", End: 90_000, Events: 2, Ended: "exit code 0", CPU: 400_000, Tracing: 3000}},
		Log:       report.Log{Bytes: 180, Events: 2, Stamped: true},
		Sizes:     []report.Size{{Bytes: 2 * kb, Allocs: 1, New: 1, Peak: 1}},
		Timeline:  report.Timeline{Step: 100_000, Spans: []report.Span{{New: 1, Live: 2 * kb}}},
	}
}

// small is a program that prints a line.
func small() *report.File {
	f := empty()
	f.Command = []string{"go", "run", "./examples/stacks/hello", "two words"}
	f.CPU, f.Module = "AMD EPYC 9B45", "github.com/seamgo/seam"
	f.Processes[0] = report.Process{PID: 779, Program: "/tmp/go-build1/b001/exe/hello", Go: "go1.26.8", End: 812_000, Events: 61, Ended: "exit code 0", CPU: 1_900_000, Tracing: 41_000}
	f.Log = report.Log{Bytes: 2555, Events: 61, Unknown: 1, Stamped: true}
	f.Sizes = []report.Size{
		{Bytes: 2 * kb, Allocs: 9, Frees: 1, New: 9, Peak: 8}, {Bytes: 4 * kb, Allocs: 1, Grown: 1, Peak: 1},
		{Bytes: 16 * kb, Allocs: 5, New: 5, Peak: 5}, {Bytes: 32 * kb, Allocs: 4, New: 4, Peak: 4},
	}
	f.Refills = []report.Refill{{Bytes: 2 * kb, Refills: 3}, {Bytes: 4 * kb, Refills: 1}, {Bytes: 16 * kb, Refills: 2, Releases: 1}}
	f.Growth = totalsOf(1, 1136, 12_040, 12_040)
	callee := place("fmt.(*pp).printValue", "/usr/local/go/src/fmt/print.go", 729)
	caller := place("fmt.(*pp).printArg", "/usr/local/go/src/fmt/print.go", 721)
	f.Sites = []report.Site{{Callee: callee, Frame: 480, Caller: caller, Totals: f.Growth, Used: 1136, Largest: 4 * kb,
		Steps: []report.Step{{From: 2 * kb, To: 4 * kb, Totals: f.Growth}}, Entries: []report.Entry{runtimeMain(1)}}}
	f.Chains = []report.Chain{{Entry: runtimeMain(1), Sizes: []int64{2 * kb, 4 * kb}, Goroutines: 1, Totals: f.Growth}}
	e := runtimeMain(1)
	f.Tree = []*report.Node{{Entry: &e, Totals: f.Growth, Children: []*report.Node{{Callee: &callee, Caller: &caller, Frame: 480, From: 2 * kb, To: 4 * kb, Totals: f.Growth}}}}
	for i := range 8 {
		s := report.Span{Live: int64(20+4*i) * kb}
		if i == 0 {
			s.New = 18
		}
		if i == 5 {
			s.Grown, s.Copied, s.Time, s.Largest = 1, 1136, 12_040, 4*kb
		}
		f.Timeline.Spans = append(f.Timeline.Spans, s)
	}
	f.Timeline.Spans = f.Timeline.Spans[1:]
	return f
}

// large is a program with all that there is: many goroutines that recurse, a large frame,
// stacks that shrink and grow in turn, two processes, 240 spans.
func large() *report.File {
	const dir = "/home/user/server"
	f := empty()
	f.CPU, f.Module, f.Command = "AMD EPYC 9B45", "example.com/server", []string{"go", "test", "-run", "Test(A|B)", "./..."}
	f.Settings.Starts, f.Settings.Adaptive, f.Settings.Procs = []int64{2 * kb, 8 * kb, 4 * kb}, "1", []int{0, 2, 1}
	f.Processes = []report.Process{
		{PID: 1201, Program: "/tmp/b1/server.test", Go: "go1.26.8", End: 2_310_000_000, Events: 91_230, Ended: "exit code 0", CPU: 1_400_000_000, Tracing: 61_000_000},
		{PID: 1240, Program: "/tmp/b2/store.test", Go: "go1.26.8", Start: 420_000_000, End: 1_900_000_000, Events: 8121, Lost: 12, Ended: "signal: killed", CPU: 210_000_000, Tracing: 9_000_000, Symbols: "/tmp/b2/store.test is stripped"},
	}
	f.Log = report.Log{Bytes: 8_930_112, Events: 99_351, Unknown: 17, Stamped: true}
	src := func(file string, line int, function string) report.Place { return place(function, dir+"/"+file, line) }
	parse := src("parse/parse.go", 120, "example.com/server/parse.(*Parser).value")
	parseCall := src("parse/parse.go", 158, "example.com/server/parse.(*Parser).value")
	hash := src("store/hash.go", 31, "example.com/server/store.hash")
	hashCall := src("store/store.go", 77, "example.com/server/store.(*Store).Put")
	walk := src("index/walk.go", 12, "example.com/server/index.Walk[example.com/server/store.Key]")
	walkCall := src("index/index.go", 90, "example.com/server/index.(*Index).Scan")
	boot := place("runtime.(*mheap).init", "/usr/local/go/src/runtime/mheap.go", 30)
	bootCall := place("runtime.mallocinit", "/usr/local/go/src/runtime/malloc.go", 400)
	handler := report.Entry{Func: src("server.go", 41, "example.com/server.(*Server).serve.func1"), Go: src("server.go", 40, "example.com/server.(*Server).serve"), Count: 3010}
	scanner := report.Entry{Func: src("index/index.go", 60, "example.com/server/index.(*Index).loop"), Go: src("index/index.go", 55, "example.com/server/index.New"), Count: 4}
	of := func(e report.Entry, n int64) report.Entry { e.Count = n; return e }

	// Goroutines of the handler recurse; fewer come to the larger sizes.
	root := &report.Node{Entry: &handler}
	at := root
	recursion := report.Site{Callee: parse, Frame: 576, Caller: parseCall, Used: 63 * kb, Largest: 128 * kb, Entries: []report.Entry{of(handler, 0)}}
	for from, n := int64(2*kb), int64(2940); n > 0; from, n = 2*from, n/3 {
		t := totalsOf(n, n*(from-700), n*(from/2+800), from*3)
		recursion.Steps = append(recursion.Steps, report.Step{From: from, To: 2 * from, Totals: t})
		recursion.Totals.Sum(t)
		child := &report.Node{Callee: &parse, Caller: &parseCall, Frame: 576, From: from, To: 2 * from, Totals: t}
		at.Children = append(at.Children, child)
		at = child
		if from == 64*kb {
			child.Others = 41
			break
		}
	}
	big := report.Site{Callee: hash, Frame: 100 * kb, Caller: hashCall, Totals: totalsOf(70, 70*1500, 70*30_000, 44_000), Used: 1900, Largest: 256 * kb, Entries: []report.Entry{of(handler, 68), runtimeMain(2)}}
	big.Steps = []report.Step{{From: 2 * kb, To: 128 * kb, Totals: totalsOf(60, 60*1500, 60*30_000, 44_000)}, {From: 64 * kb, To: 256 * kb, Totals: totalsOf(10, 10*1500, 10*30_000, 41_000)}}
	root.Children = append(root.Children, &report.Node{Callee: &hash, Caller: &hashCall, Frame: 100 * kb, From: 2 * kb, To: 128 * kb, Totals: totalsOf(58, 58*1500, 58*30_000, 44_000)})
	for _, c := range root.Children {
		root.Totals.Sum(c.Totals)
	}
	for _, c := range at.Children {
		root.Totals.Sum(c.Totals)
	}
	recursion.Entries[0].Count = recursion.Count
	scan := report.Site{Callee: walk, Frame: 320, Caller: walkCall, Totals: totalsOf(320, 320*3900, 320*4100, 9000), Used: 3990, Largest: 8 * kb, Entries: []report.Entry{of(scanner, 320)},
		Steps: []report.Step{{From: 4 * kb, To: 8 * kb, Totals: totalsOf(320, 320*3900, 320*4100, 9000)}}}
	start := report.Site{Callee: boot, Frame: 120, Caller: bootCall, Totals: totalsOf(2, 3000, 22_000, 12_000), Used: 1500, Largest: 4 * kb, Entries: []report.Entry{runtimeMain(2)},
		Steps: []report.Step{{From: 2 * kb, To: 4 * kb, Totals: totalsOf(2, 3000, 22_000, 12_000)}}}
	f.Sites = []report.Site{recursion, big, scan, start}
	for i := range 9 {
		t := totalsOf(1, 1800, 9000-int64(i)*100, 9000)
		f.Sites = append(f.Sites, report.Site{Callee: src("misc.go", 10+i, fmt.Sprintf("example.com/server.step%d", i)), Frame: 200, Caller: src("misc.go", 100+i, "example.com/server.run"), Totals: t, Used: 1800, Largest: 4 * kb,
			Entries: []report.Entry{runtimeMain(1)}, Steps: []report.Step{{From: 2 * kb, To: 4 * kb, Totals: t}}})
	}
	for i := range f.Sites {
		f.Growth.Sum(f.Sites[i].Totals)
	}
	f.Shrinks = []report.Shrink{{From: 4 * kb, To: 2 * kb, Totals: totalsOf(12, 9000, 30_000, 4000)}, {From: 8 * kb, To: 4 * kb, Totals: totalsOf(318, 318*900, 318*1500, 5000)}}
	for _, s := range f.Shrinks {
		f.Shrink.Sum(s.Totals)
	}
	f.Sizes = []report.Size{{Bytes: 2 * kb, Allocs: 3040, Frees: 3020, New: 3028, Shrunk: 12, Peak: 990}, {Bytes: 4 * kb, Allocs: 3280, Frees: 3280, Grown: 2962, Shrunk: 318, Peak: 200},
		{Bytes: 8 * kb, Allocs: 1300, Frees: 1296, Grown: 1300, Peak: 77}, {Bytes: 256 * kb, Allocs: 10, Frees: 10, Grown: 10, Peak: 2}}
	f.Refills = []report.Refill{{Bytes: 2 * kb, Refills: 310, Releases: 290}, {Bytes: 4 * kb, Refills: 410, Releases: 400}}
	f.Chains = []report.Chain{
		{Entry: handler, Sizes: []int64{2 * kb, 4 * kb}, Goroutines: 1960, Totals: totalsOf(1960, 1960*1348, 1960*1824, 6144)},
		{Entry: handler, Sizes: []int64{2 * kb, 4 * kb, 8 * kb, 16 * kb, 32 * kb, 64 * kb, 128 * kb}, Goroutines: 12, Totals: totalsOf(72, 900_000, 700_000, 190_000)},
		{Entry: runtimeMain(2), Sizes: []int64{2 * kb, 128 * kb}, Goroutines: 2, Totals: totalsOf(2, 3000, 60_000, 31_000)},
	}
	back := report.Chain{Entry: scanner, Goroutines: 4, Totals: scan.Totals}
	for range 80 {
		back.Sizes = append(back.Sizes, 4*kb, 8*kb)
	}
	f.Chains = append(f.Chains, back)
	m, sc := runtimeMain(2), scanner
	f.Tree = []*report.Node{root,
		{Entry: &sc, Totals: scan.Totals, Children: []*report.Node{{Callee: &walk, Caller: &walkCall, Frame: 320, From: 4 * kb, To: 8 * kb, Totals: totalsOf(4, 4*3900, 4*4100, 9000), Others: 316}}},
		{Entry: &m, Totals: totalsOf(4, 6000, 82_000, 31_000), Children: []*report.Node{
			{Callee: &boot, Caller: &bootCall, Frame: 120, From: 2 * kb, To: 4 * kb, Totals: start.Totals, Children: []*report.Node{
				{Callee: &hash, Caller: &hashCall, Frame: 100 * kb, From: 64 * kb, To: 256 * kb, Totals: totalsOf(2, 3000, 60_000, 31_000)}}}}}}
	f.Preempts = 3
	f.Overflows = []report.Overflow{{PID: 1240, Callee: parse, Frame: 576, Caller: parseCall, Func: handler.Func, Go: handler.Go, Size: 512 << 20, Used: 512<<20 - 900}}
	f.Timeline.Step, f.Timeline.Spans = 10_000_000, nil
	live := int64(60 * kb)
	for i := range int64(231) {
		s := report.Span{}
		switch {
		case i%40 < 9:
			s.New, s.Grown = 30+7*(i%9), 20+11*(i%9)
			s.Copied, s.Time, s.Largest = s.Grown*3000, s.Grown*2500, 128*kb
			live += s.New * 2 * kb
		case i%40 == 30:
			s.Shrunk, s.Copied, s.Time = 60, 54_000, 90_000
			live = live / 3
		}
		s.Live = live
		f.Timeline.Spans = append(f.Timeline.Spans, s)
	}
	return f
}

const evil = "main.<script>alert(1)</script>\x1b[31m\r\n\u202e\"'&\xff"

// hostile is a log by someone who wants to be seen elsewhere than in a report.
func hostile() *report.File {
	f := small()
	p := place(evil, "/x/"+evil, 1<<40)
	f.Go, f.CPU, f.Module, f.OS, f.Arch, f.Seam = evil, evil, evil, evil, evil, evil
	f.Command = []string{"go", "run", evil, strings.Repeat("a", 5000)}
	f.Settings.Adaptive = evil
	f.Processes[0].Program, f.Processes[0].Ended, f.Processes[0].Symbols, f.Processes[0].Go = evil, evil, evil, evil
	const most = 1<<63 - 1
	f.Sites[0].Callee, f.Sites[0].Caller = p, p
	f.Sites[0].Frame, f.Sites[0].Used, f.Sites[0].Largest = most, most, most
	f.Sites[0].Entries = []report.Entry{{Func: p, Go: p, Count: most}}
	f.Sites = append(f.Sites, report.Site{Callee: place(strings.Repeat("世", 4000), "", 0)})
	f.Chains[0].Entry = f.Sites[0].Entries[0]
	f.Chains[0].Sizes = []int64{0, most, 1, 3, 3000}
	f.Chains = append(f.Chains, report.Chain{})
	f.Tree[0].Entry = &report.Entry{Func: p, Go: p, Count: -1}
	f.Tree[0].Children[0].Callee, f.Tree[0].Children[0].To = &p, most
	f.Tree = append(f.Tree, nil, &report.Node{Totals: totalsOf(-5, -5, -5, -5), Children: []*report.Node{nil, {}}})
	f.Shrinks = []report.Shrink{{}}
	f.Overflows = []report.Overflow{{}, {PID: -1, Callee: p, Caller: p, Func: p, Go: p, Size: -1, Used: most}}
	f.Growth = totalsOf(most, most, most, most)
	f.Timeline.Spans[0] = report.Span{New: most, Grown: most, Shrunk: most, Copied: most, Time: most, Live: most, Largest: most}
	f.Timeline.Spans[1] = report.Span{New: -1, Live: -1, Copied: -most}
	return f
}

// untimed is the log of a Go that was built by hand: no stamps, no times.
func untimed() *report.File {
	f := large()
	f.Log.Stamped, f.Settings = false, report.Settings{}
	f.Processes = []report.Process{{Events: f.Log.Events}}
	zero := func(t *report.Totals) { t.Time, t.Longest = 0, 0 }
	zero(&f.Growth)
	zero(&f.Shrink)
	for i := range f.Sites {
		zero(&f.Sites[i].Totals)
		for k := range f.Sites[i].Steps {
			zero(&f.Sites[i].Steps[k].Totals)
		}
	}
	for i := range f.Chains {
		zero(&f.Chains[i].Totals)
	}
	for i := range f.Shrinks {
		zero(&f.Shrinks[i].Totals)
	}
	var down func(list []*report.Node)
	down = func(list []*report.Node) {
		for _, n := range list {
			zero(&n.Totals)
			down(n.Children)
		}
	}
	down(f.Tree)
	f.Timeline = report.Timeline{}
	return f
}
