package crossing

import (
	"errors"
	"testing"
)

func TestFallback(t *testing.T) {
	fails := func() error { return errors.New("no assembly") }
	works := func() error { return nil }
	for _, c := range []struct {
		env    string
		checks []func() error
		want   string
	}{
		{"", nil, ""},
		{"auto", []func() error{works, works}, ""},
		{"auto", []func() error{works, fails}, "no assembly"},
		{"cgo", []func() error{fails}, "SEAM_LEAF=cgo in the environment"},
		{"no such path", []func() error{works}, ""},
		{"no such path", []func() error{fails}, "no assembly"},
	} {
		t.Setenv("SEAM_LEAF", c.env)
		if got := Fallback("leaf", c.checks...); got != c.want {
			t.Errorf("with SEAM_LEAF=%q and %d checks the reason is %q, want %q", c.env, len(c.checks), got, c.want)
		}
	}
}
