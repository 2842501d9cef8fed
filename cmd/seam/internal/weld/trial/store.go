package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A Store keeps what was found out about programs, so that a run that was ended, or had less
// time, is gone on from. A nil Store keeps nothing.
//
// What is kept is of the same files, arguments, folder, settings and machine. What the program
// reads may have changed, so it is only good for a day, and it is said when it is used.
type Store struct {
	Cache *filecache.Cache
	Fresh bool // take nothing over
	Kept  bool // something was kept
}

// maxAge is how long what was found is taken over.
const maxAge = 24 * time.Hour

// settings begin the names of variables that change how Go programs and their C run.
var settings = []string{"GO", "SEAM_", "LD_", "MALLOC_", "GLIBC_TUNABLES", "OMP_"}

// Key names what was found out about programs, by what kind of thing it is.
func Key(kind string, programs []*Program) (filecache.Key, error) {
	parts := []string{"1", kind, machine.Read().CPU, fmt.Sprint(runtime.NumCPU())}
	for _, v := range slices.Sorted(slices.Values(os.Environ())) {
		if slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(v, s) }) {
			parts = append(parts, v)
		}
	}
	for _, p := range programs {
		parts = append(parts, p.Package, p.Dir, p.bench, fmt.Sprintf("%q", p.Args))
		if p.Load != nil {
			parts = append(parts, p.Load.Command, p.Load.Ready)
		}
		for _, name := range p.Files {
			sum, err := fileSum(name)
			if err != nil {
				return filecache.Key{}, err
			}
			parts = append(parts, sum)
		}
	}
	return filecache.KeyOf(parts...), nil
}

// fileSum is a file's checksum; "" for a side that was not built.
func fileSum(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// entry is what the store's files hold.
type entry[T any] struct {
	Time time.Time
	What T
}

// Get takes over what was kept, and says how long ago that was.
func Get[T any](s *Store, key filecache.Key) (what T, ago time.Duration, ok bool) {
	if s == nil || s.Fresh {
		return what, 0, false
	}
	data, ok := s.Cache.Get(key)
	var e entry[T]
	if !ok || json.Unmarshal(data, &e) != nil {
		return what, 0, false
	}
	ago = time.Since(e.Time)
	return e.What, ago, ago >= 0 && ago < maxAge
}

// Put keeps something. What can't be kept is found out again next time.
func Put[T any](s *Store, key filecache.Key, what T) {
	if s == nil {
		return
	}
	data, err := json.Marshal(entry[T]{time.Now(), what})
	if err == nil && s.Cache != nil && s.Cache.Put(key, data) == nil {
		s.Kept = true
	}
}

// kept is what was measured, as the store has it.
type kept struct {
	Spent time.Duration
	Said  []string
	Works []keptWork
}

type keptWork struct {
	Name   string
	Rounds int
	Rows   []keptRow
}

type keptRow struct {
	Package, Name string
	Pairs         [sides][]Sample
}

// keptOf is what the store has of works.
func keptOf(r *Result, works []*work, spent time.Duration) kept {
	k := kept{Spent: spent, Said: r.Said}
	for _, w := range works {
		x := keptWork{Name: w.name, Rounds: w.rounds}
		for _, row := range w.rows {
			x.Rows = append(x.Rows, keptRow{row.Package, row.Name, row.Pairs})
		}
		k.Works = append(k.Works, x)
	}
	return k
}

// past gives the works what was measured of the same programs, and says how long that took.
func (o Options) past(r *Result, programs []*Program, works []*work) (spent time.Duration, key filecache.Key, err error) {
	if o.Store == nil {
		return 0, key, nil
	}
	if key, err = Key("rounds", programs); err != nil {
		return 0, key, err
	}
	k, ago, ok := Get[kept](o.Store, key)
	if !ok || !slices.EqualFunc(k.Works, works, func(a keptWork, b *work) bool { return a.Name == b.name }) {
		return 0, key, nil
	}
	processes := 0
	for i, w := range works {
		w.rounds = k.Works[i].Rounds
		processes += w.rounds * len(o.orders()) * int(o.sides())
		for _, row := range k.Works[i].Rows {
			w.rows = append(w.rows, &Row{Package: row.Package, Name: row.Name, Pairs: row.Pairs})
		}
	}
	r.Said, r.Rounds = k.Said, wholeRounds(works)
	if o.Note != nil {
		o.Note(fmt.Sprintf("%staken over: %s of the same programs, the last of them %s ago (--fresh measures anew)",
			o.What, quantity.Plural(processes, "process", "processes"), ago.Round(time.Second)))
	}
	return k.Spent, key, nil
}

// wholeRounds are those of which all works are measured.
func wholeRounds(works []*work) int {
	return slices.MinFunc(works, func(a, b *work) int { return a.rounds - b.rounds }).rounds
}
