package limits

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"go/version"
	"slices"
	"strings"
)

// history is reports of this package, one for 64 bits and one for 32, each with the last
// release of every version of Go from 1.13 on. TestHistory writes it:
//
//	go test ./cmd/seam/internal/stack/limits -run TestHistory -update
//
//go:embed history.json
var history []byte

// History is what the versions of Go had when Seam was made, as measured then.
func History() []Report {
	var list []Report
	if err := json.Unmarshal(history, &list); err != nil {
		panic(fmt.Sprintf("limits: history.json: %v", err)) // a bug of ours
	}
	return list
}

// compare says since when values hold, and which ones differ from those known of the
// same version.
func (r *Report) compare(known []Report) error {
	i := slices.IndexFunc(known, func(k Report) bool { return bits32(k.GOARCH) == bits32(r.GOARCH) })
	if i < 0 {
		return fmt.Errorf("there is no history for %s", r.GOARCH) // a bug of ours
	}
	for _, m := range r.Toolchains {
		for _, l := range all {
			v, ok := m.Values[l.key]
			if !ok || v.Missing != "" || l.varies {
				continue
			}
			v.compare(l.key, m.Version, known[i].Toolchains, known[i].GOOS == r.GOOS)
			m.Values[l.key] = v
		}
	}
	return nil
}

// compare fills in Since and Known. With another system than the history's a value may
// differ from what is known.
func (v *Value) compare(key, of string, known []Measured, sameSystem bool) {
	at := slices.IndexFunc(known, func(k Measured) bool { return minor(k.Version) == minor(of) })
	if at < 0 {
		return
	}
	now, ok := known[at].Values[key]
	if !ok || now.Missing != "" {
		return
	}
	if !v.same(now) {
		if sameSystem {
			v.Known = &now
		}
		return
	}
	v.Since = &Since{Version: minor(of), Oldest: true}
	for at--; at >= 0; at-- {
		before, ok := known[at].Values[key]
		if !ok || before.Missing != "" {
			return
		}
		if !before.same(*v) {
			v.Since.Oldest, v.Since.Before = false, &before
			return
		}
		v.Since.Version = minor(known[at].Version)
	}
}

// minor is the version without the release: "go1.24" of "go1.24.13".
func minor(v string) string { return version.Lang(language(v)) }

// bits32 reports whether an architecture has pointers of 32 bits.
func bits32(goarch string) bool {
	switch {
	case goarch == "386", goarch == "arm", goarch == "mips", goarch == "mipsle", strings.HasSuffix(goarch, "p32"):
		return true
	}
	return false
}
