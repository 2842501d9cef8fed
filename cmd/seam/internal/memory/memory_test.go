//go:build linux && (amd64 || arm64)

package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/cmd/seam/internal/memory/verdict"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

const mb = 1 << 20

// leaking is what a watch of a program finds whose C holds a megabyte more at each look.
func leaking(looks int) *Report {
	w := &watch{ended: true}
	start := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	for i := range looks {
		a := &account.Account{PID: 4711, Exe: "/srv/server", Go: "go1.26.8", Time: start.Add(time.Duration(i) * time.Second), Threads: 3, Parts: []account.Part{
			{Kind: account.GoHeap, Bytes: 8 * mb, Count: 2},
			{Kind: account.CUsed, Owner: "the first arena", Bytes: uint64(2+i) * mb, Count: 100 * i},
			{Kind: account.CFree, Owner: "the first arena", Bytes: mb, Count: 7},
			{Kind: account.Stacks, Owner: "threadentry of server", Bytes: mb / 4, Count: 2},
			{Kind: account.Files, Owner: "server", Bytes: 3 * mb, Count: 5},
		}}
		for _, p := range a.Parts {
			a.RSS += p.Bytes
		}
		w.add(a)
	}
	return w.report()
}

func TestReport(t *testing.T) {
	r := leaking(31)
	if r.Verdict.Class != verdict.Leak || r.Rate < 59*mb || r.Rate > 61*mb || r.TooLittle() != "" {
		t.Errorf("%+v, %v a minute", r.Verdict, r.Rate)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b, TextOptions{Options: text.Options{Width: 100}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"RSS grew 30 MiB in 30s, from 14.2 MiB to 44.2 MiB: 30 MiB C memory in use (malloc).",
		"Leak: what C has from malloc and doesn't free rose from 9 MiB to 32 MiB; a cache that isn't full yet\n",
		"2 stacks, threadentry of server", "3000 blocks", "+30 MiB", "44.2 MiB  100 %",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(b.String())
	}
	b.Reset()
	r.Last.Heaps = []account.Heap{{Owner: "the first arena", At: 4096, Size: 64 << 20, Used: 3 * mb, Free: mb, Map: strings.Repeat("9510.", 12) + "...."}}
	if err := r.WriteHTML(&b); err != nil || strings.Count(b.String(), `<i class="some">`) != 12 || strings.Count(b.String(), `<i class="none">`) != 16 || !strings.Contains(b.String(), "<svg") || !strings.Contains(b.String(), "C memory in use") {
		t.Errorf("%v, %d bytes of page", err, b.Len())
	}
	b.Reset()
	var back Report
	if err := r.Encode(&b); err != nil || json.Unmarshal(b.Bytes(), &back) != nil || back.Schema != Schema || len(back.Samples) != 31 || back.Samples[30].Kinds[account.CUsed] != 32*mb {
		t.Errorf("%v\n%s", err, b.Bytes())
	}
}

// A server that has taken much at its start and is at rest doesn't hide that its worker grows; nor does what
// seam heap keeps in a process make it the one that grew most.
func TestBeside(t *testing.T) {
	watches := map[int]*watch{1: {}, 2: {}, 3: {}}
	for i := range 31 {
		rests, rises := uint64(min(100, 1+100*i))*mb, uint64(2+i)*mb
		for pid, parts := range map[int][]account.Part{
			1: {{Kind: account.CUsed, Bytes: rests}}, 2: {{Kind: account.CUsed, Bytes: rises}}, 3: {{Kind: account.CUsed, Bytes: mb}, {Kind: account.Own, Bytes: 9 * rests}},
		} {
			a := &account.Account{PID: pid, Exe: "/srv/worker", Time: time.Unix(int64(i), 0), Parts: parts}
			for _, p := range parts {
				a.RSS += p.Bytes
			}
			watches[pid].add(a)
		}
	}
	r := most(watches)
	if r.Last.PID != 1 || r.Verdict.Class != verdict.Cache || r.Others != 2 || len(r.Rising) != 1 {
		t.Fatalf("process %d, %+v: %q", r.Last.PID, r.Verdict, r.Rising)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b, TextOptions{Options: text.Options{Width: 200}}); err != nil || !strings.Contains(strings.Join(strings.Fields(b.String()), " "), "Beside it process 2 (worker) grows, too: leak: what C has from malloc and doesn't free rose from 9 MiB to 32 MiB") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// What another allocator holds is among the mappings that grow.
func TestOtherAllocator(t *testing.T) {
	w := &watch{}
	for i := range 31 {
		n := uint64(2+i) * mb
		w.add(&account.Account{RSS: n, Time: time.Unix(int64(i), 0), Parts: []account.Part{{Kind: account.Anonymous, Owner: "with what libjemalloc.so.2 holds", Bytes: n, Count: 1}}})
	}
	if v := w.report().Verdict; v.Class != verdict.Mapped || !strings.HasSuffix(v.Evidence, "rose from 9 MiB to 32 MiB, with what libjemalloc.so.2 holds") {
		t.Errorf("%+v", v)
	}
}

// Of one look nothing is said of growth, and of few none is proven.
func TestFewLooks(t *testing.T) {
	one := leaking(1)
	if s := one.Sentence(); one.Verdict != nil || !strings.HasPrefix(s, "RSS was 14.2 MiB when it was looked at, once, before the process ended: 8 MiB Go's heap,") {
		t.Errorf("%v, %s", one.Verdict, s)
	}
	if one.Ended = false; !strings.HasPrefix(one.Sentence(), "RSS is 14.2 MiB: 8 MiB Go's heap,") {
		t.Error(one.Sentence())
	}
	few := leaking(3)
	if few.Verdict.Class != verdict.Unclear || few.TooLittle() == "" {
		t.Errorf("%+v", few.Verdict)
	}
}

func TestThin(t *testing.T) {
	w := &watch{}
	start := time.Now()
	for i := range 1000 {
		w.add(&account.Account{Time: start.Add(time.Duration(i) * time.Second), RSS: uint64(i)})
		w.thin()
		if len(w.samples) > 2*mostSamples || w.samples[len(w.samples)-1].RSS != uint64(i) || w.samples[0].RSS != 0 {
			t.Fatalf("look %d: %d samples", i, len(w.samples))
		}
	}
}

func TestProcess(t *testing.T) {
	for long := 300 * time.Millisecond; ; long *= 10 { // there may be time for no look
		cmd := exec.CommandContext(t.Context(), "sleep", "600")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(long, func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		r, err := Process(t.Context(), cmd.Process.Pid, time.Hour, 20*time.Millisecond)
		if err == nil && r.Ended && len(r.Samples) >= 2 && r.Last.RSS > 0 {
			break
		}
		if long > 10*time.Second {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if r, err := Process(ctx, os.Getpid(), time.Minute, 0); err != nil || len(r.Samples) != 1 {
		t.Errorf("interrupted: %+v, %v", r, err)
	}
}
