package trial

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// What is found fails, and without any one of it it doesn't.
func TestMinimal(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := make([]int, 1+r.IntN(100))
		for i := range list {
			list[i] = i
		}
		culprits := r.Perm(len(list))[:1+r.IntN(min(3, len(list)))]
		slices.Sort(culprits)
		asked := 0
		got, err := Minimal(list, func(some []int) (bool, error) {
			asked++
			for _, c := range culprits {
				if !slices.Contains(some, c) {
					return false, nil
				}
			}
			return true, nil
		})
		if len(got) > 0 && &got[0] == &list[got[0]] {
			t.Fatal("what is found is a part of the list, which its owner may change")
		}
		if err != nil || !slices.Equal(got, culprits) {
			t.Fatalf("seed %d: of %d found %v, want %v (%v)", seed, len(list), got, culprits, err)
		}
		if len(culprits) == 1 && asked > 16 {
			t.Errorf("seed %d: of %d asked %d times for one", seed, len(list), asked)
		}
	}
}

// Any one of several is an answer too.
func TestMinimalOfAlternatives(t *testing.T) {
	got, err := Minimal([]int{1, 2, 3, 4, 5, 6, 7}, func(some []int) (bool, error) {
		return slices.Contains(some, 2) || slices.Contains(some, 6), nil
	})
	if err != nil || len(got) != 1 || got[0] != 2 && got[0] != 6 {
		t.Errorf("found %v, %v", got, err)
	}
	broken := errors.New("it doesn't build")
	if _, err := Minimal([]int{1, 2, 3}, func([]int) (bool, error) { return false, broken }); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}
