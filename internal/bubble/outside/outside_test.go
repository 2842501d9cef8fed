//go:build cgo

//seam:test race toolchains

package outside

import (
	"testing"
	"testing/synctest"

	"github.com/seamgo/seam/internal/bubble"
)

func TestDo(t *testing.T) {
	plain := false
	Do(func() { plain = true })
	if !plain {
		t.Error("without a bubble nothing was done")
	}
	var shared chan int
	synctest.Test(t, func(t *testing.T) {
		for range 3 {
			inside := true
			Do(func() {
				inside = bubble.Inside()
				shared = make(chan int, 1)
				go func() { shared <- 1 }()
			})
			if inside {
				t.Error("still in the bubble")
			}
			if <-shared != 1 {
				t.Error("the goroutine outside sent something else")
			}
		}
	})
	shared <- 2 // which would end the program if the channel were the bubble's
	if <-shared != 2 {
		t.Error("the channel has something else")
	}
}
