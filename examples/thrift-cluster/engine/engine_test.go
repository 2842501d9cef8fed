package engine

import (
	"strconv"
	"sync"
	"testing"
)

func TestScore(t *testing.T) {
	e, err := New(100)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for i := range 20 {
		if s := e.Score("anna", 100+float64(i%2)); s > 3 {
			t.Errorf("order %d, like all before, scores %v", i, s)
		}
	}
	if s := e.Score("anna", 5000); s < 10 {
		t.Errorf("an unusual order scores %v", s)
	}
	if s := e.Score("berta", 5000); s != 0 {
		t.Errorf("a first order scores %v", s)
	}
}

// More users than there is room for, from many goroutines.
func TestFull(t *testing.T) {
	e, err := New(8)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 1000 {
				if s := e.Score(strconv.Itoa(g*i), 1); s < 0 {
					t.Errorf("score %v", s)
				}
			}
		})
	}
	all.Wait()
	if s := e.Stats(); s.Calls != 4000 || s.Bytes == 0 {
		t.Errorf("%+v", s)
	}
	e.Close()
	e.Close()
	if s := e.Score("anna", 1); s != 0 || e.Stats().Bytes != 0 {
		t.Errorf("closed: %v, %+v", s, e.Stats())
	}
}
