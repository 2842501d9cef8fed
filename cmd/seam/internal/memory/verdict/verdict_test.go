package verdict

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

const mb = 1 << 20

// simulate makes the history of a program that runs for a while and is looked at so many times.
func simulate(kind string, r *rand.Rand) []Sample {
	between := func(a, b float64) float64 { return a * math.Pow(b/a, r.Float64()) } // as many small ones as large ones
	looks := 20 + r.IntN(200)
	wall := between(3, 3600)
	goHeap, used, free, files := between(4, 200), between(1, 100), between(0.3, 5), between(5, 60)
	live := used // of what comes and goes beside it
	size, slow, full := between(5, 500), between(0.02, 0.15), 2+used*between(0.5, 5)
	period, phase := between(0.03, 0.2), r.Float64()
	until := between(0.005, 0.1)
	hole := 0.0
	var list []Sample
	for i := range looks {
		x := float64(i) / float64(looks-1)
		live += (used - live) * 0.3
		live += r.NormFloat64() * used * 0.01
		c, f := live, free*(1+0.2*r.Float64())
		switch kind {
		case "leak":
			c += size * x
		case "plateau":
			c += full * (1 - math.Exp(-x/slow))
		case "sawtooth":
			_, part := math.Modf(x/period + phase)
			c += size * part
		case "start-up":
			c += size * min(1, x/until)
		case "fragmentation": // each round leaves a survivor between its blocks, and the next needs larger ones
			hole += size / float64(looks) * 2 * r.Float64()
			f += hole
		}
		s := Sample{
			At: time.Duration(x * wall * float64(time.Second)), CUsed: uint64(max(c, 0.1) * mb), CFree: uint64(f * mb), Stacks: mb / 4,
			Files: uint64(files * mb), Go: uint64(goHeap * (0.8 + 0.2*r.Float64()) * mb), Anonymous: mb, Threads: 12, Trim: uint64(f * mb / 2),
		}
		s.RSS = s.CUsed + s.CFree + s.Stacks + s.Files + s.Go + s.Anonymous
		list = append(list, s)
	}
	return list
}

func TestVerdicts(t *testing.T) {
	kinds := []string{"leak", "plateau", "sawtooth", "start-up", "fragmentation"}
	right := map[string][]Class{
		"leak": {Leak}, "plateau": {Cache}, "sawtooth": {Steady}, "fragmentation": {Fragmentation},
		"start-up": {Steady, Cache}, // what is read in once is as good as a cache
	}
	const n = 400
	wrong, leaks := 0, 0
	for i := range n {
		kind := kinds[i%len(kinds)]
		v := Of(simulate(kind, rand.New(rand.NewPCG(uint64(i), 40))))
		ok := false
		for _, c := range right[kind] {
			ok = ok || v.Class == c
		}
		if !ok {
			wrong++
			t.Logf("%d: %s is judged %s: %s", i, kind, v.Class, v.Evidence)
		}
		if v.Class == Leak && kind != "leak" || kind == "leak" && v.Class == Steady {
			leaks++
		}
	}
	t.Logf("%d of %d wrong, of these %d that call a leak what is none, or the other way round", wrong, n, leaks)
	if wrong > n/20 {
		t.Errorf("%d of %d histories are not judged right", wrong, n)
	}
	if leaks > n/100 {
		t.Errorf("%d of %d histories are called leaks and are none, or the other way round", leaks, n)
	}
}

// What fills up evenly and then comes to rest is no leak, wherever in the run that was.
func TestFilledLate(t *testing.T) {
	said := map[Class]int{}
	for i := range 400 {
		r := rand.New(rand.NewPCG(uint64(i), 41))
		full := 0.4 + 0.5*r.Float64() // of the run
		list := simulate("", r)
		for k := range list {
			more := uint64(min(float64(k)/float64(len(list)-1)/full, 1) * 300 * mb)
			list[k].CUsed += more
			list[k].RSS += more
		}
		v := Of(list)
		said[v.Class]++
		if v.Class == Leak {
			t.Errorf("%d: it filled up at %.0f %%, and is judged %s: %s", i, 100*full, v.Class, v.Evidence)
		}
	}
	t.Log(said)
}

// Other parts that grow are named.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		want    Class
		says    string
		outside string // Go and files: "rises", "unclear", or "" if all came to rest
		grow    func(s *Sample, x float64)
	}{
		{Steady, "no part is seen", "", func(*Sample, float64) {}},
		{Unclear, "what C has from malloc", "unclear", func(s *Sample, x float64) { // beside a heap that goes up and down by more
			s.CUsed += uint64(x * 400 * 1024)
			s.Go += uint64(int(x*39+0.5)%4) * 300 << 10
		}},
		{Unclear, "too little beside the rest to call it", "unclear", func(s *Sample, x float64) { s.CUsed += uint64(x * 828 * 1024) }},
		{Unclear, "no one part of it by 1 MiB", "rises", func(s *Sample, x float64) { // many parts, a little each
			for _, of := range []*uint64{&s.Stacks, &s.Files, &s.Go, &s.Anonymous} {
				*of += uint64(x * 900 * 1024)
			}
		}},
		{Malloc, "isn't known", "rises", func(s *Sample, x float64) { s.CUnread += uint64(x * 30 * mb) }},
		{Unclear, "pages of mapped files rose from 35.4 MiB to 40 MiB: it goes up and down", "", func(s *Sample, x float64) {
			s.Files += uint64(x*39+0.5) % 2 * 25 * mb
			s.Files += uint64(x * 6 * mb)
		}},
		{ThreadStacks, "threads rose from", "rises", func(s *Sample, x float64) { s.Stacks += uint64(x * 30 * mb); s.Threads += uint64(x * 1000) }},
		{MappedFile, "mapped files", "", func(s *Sample, x float64) { s.Files += uint64(x * 30 * mb) }},
		{GoSide, "/debug/pprof/heap", "", func(s *Sample, x float64) { s.Go += uint64(x * 30 * mb) }},
		{GoSide, "/debug/pprof/heap", "rises", func(s *Sample, x float64) { s.Go += uint64(x * 30 * mb); s.CUsed += uint64(x * 20 * mb) }},
		{Cache, "came to rest", "", func(s *Sample, x float64) { s.CUsed += uint64(min(x*5, 1) * 30 * mb) }},
		{Mapped, "neither glibc's malloc's nor Go's", "rises", func(s *Sample, x float64) { s.Anonymous += uint64(x * 30 * mb) }},
		{HugePages, "2 MiB", "rises", func(s *Sample, x float64) { s.Anonymous += uint64(x * 30 * mb); s.Huge += uint64(x * 30 * mb) }},
	} {
		var list []Sample
		for i := range 40 {
			s := Sample{At: time.Duration(i) * time.Second, CUsed: 20 * mb, CFree: mb, Stacks: mb, Files: 9 * mb, Go: 12 * mb, Anonymous: mb, Threads: 10}
			c.grow(&s, float64(i)/39)
			s.RSS = s.CUsed + s.CUnread + s.CFree + s.Stacks + s.Files + s.Go + s.Anonymous
			list = append(list, s)
		}
		v := Of(list)
		if v.Class != c.want || !strings.Contains(v.Evidence, c.says) {
			t.Errorf("%s: want %s", v.Class, c.want)
			t.Log(v.Evidence)
		}
		rises, unclear := Outside(list)
		if wantRise, wantUnclear := c.outside == "rises", c.outside == "unclear"; rises != wantRise || (unclear != "") != wantUnclear {
			t.Errorf("%s: outside Go and files: rises %t, unclear %q; want it %q", v.Class, rises, unclear, c.outside)
		}
		if rises, unclear := Outside(list[:LeastSamples-1]); rises || !strings.Contains(unclear, "do not say") {
			t.Errorf("%s: outside Go and files, of few samples: %t, %q", v.Class, rises, unclear)
		}
		if v := Of(list[:LeastSamples-1]); v.Class != Unclear || !strings.Contains(v.Evidence, "do not say") {
			t.Errorf("of few samples: %v", v)
		}
	}
	if v := Of(nil); v.Class != Unclear {
		t.Errorf("of no samples: %v", v)
	}
}

// A busy machine leaves looks out. What is left of a leak's history is no cache's.
func TestGaps(t *testing.T) {
	leak := func(times ...time.Duration) (list []Sample) {
		for _, at := range times {
			s := Sample{At: at * time.Millisecond, CUsed: uint64(at) * 3 << 10}
			s.RSS = s.CUsed + 5*mb
			list = append(list, s)
		}
		return list
	}
	if v := Of(leak(0, 50, 100, 150, 200, 1900, 1950, 2000, 2500, 3000)); v.Class != Unclear || !strings.Contains(v.Evidence, "for 1.7s there was none") {
		t.Errorf("%+v", v)
	}
	// Many at the end, which are not the second half of the run for that.
	if v := Of(leak(0, 500, 1000, 1500, 2000, 2500, 2800, 2810, 2820, 2830, 2840, 2850, 2860, 2870, 2880, 2890, 2900, 3000)); v.Class == Cache || v.Class == Steady {
		t.Errorf("%+v", v)
	}
}
