//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

package dl

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// TestVerdictIsWelds holds the guard's verdict equal to that of programs that seam weld has built,
// which is C.
func TestVerdictIsWelds(t *testing.T) {
	headers, err := filepath.Abs("../cmd/seam/internal/weld/runtime/leaf/c")
	if err != nil {
		t.Fatal(err)
	}
	slots, err := filepath.Abs("../weld")
	if err != nil {
		t.Fatal(err)
	}
	lib := openC(t, "verdict", `
#include "seam_weld.h"
static _seam_u64 _seam_now(void) { return 0; }
#include "seam_weld_guard.h"
long guilty(unsigned long usual, unsigned long tried, unsigned long late, unsigned long controls, unsigned long noise, unsigned long budget)
{
	static struct _seam_slot s;
	s._budget = budget;
	s._allow = 10000;
	s._usual = usual;
	s._tried = tried;
	s._late = late;
	s._controls = controls;
	s._noise = noise;
	return _seam_guilty(&s);
}
long probation(void) { return _SEAM_TRIAL; }
`, "-I"+headers, "-I"+slots)
	type args struct {
		Usual, Tried, Late, Controls, Noise, Budget uint64
		R                                           int64 `dl:"result"`
	}
	guilty, err := LeafOf[args](lib, "guilty")
	if err != nil {
		t.Fatal(err)
	}
	demoted := 0
	for range 100_000 {
		s := figures{usual: rand.Uint64N(40_000), tried: rand.Uint64N(3000), late: rand.Uint64N(60), noise: rand.Uint64N(20)}
		if rand.IntN(4) == 0 {
			s.usual, s.noise = 0, 0
		}
		s.controls = s.tried
		a := args{Usual: s.usual, Tried: s.tried, Late: s.late, Controls: s.controls, Noise: s.noise, Budget: uint64(budget)}
		if guilty.Call(&a); (a.R != 0) != s.guilty() {
			t.Fatalf("%+v: %v here, %v there", s, s.guilty(), a.R != 0)
		}
		if a.R != 0 {
			demoted++
		}
	}
	if demoted < 1000 || demoted > 99_000 {
		t.Errorf("%d of 100,000 were demoted: the figures are badly drawn", demoted)
	}
	p := struct {
		R int64 `dl:"result"`
	}{}
	f, err := LeafOf[struct {
		R int64 `dl:"result"`
	}](lib, "probation")
	if err != nil {
		t.Fatal(err)
	}
	if f.Call(&p); p.R != probation {
		t.Errorf("probation has %d calls there, %d here", p.R, probation)
	}
}
