//seam:test toolchains

package weld_test

import (
	"expvar"
	"fmt"

	"github.com/seamgo/seam/weld"
)

// What a welded program shows is tested where programs are welded, in cmd/seam.
func ExampleReadStats() {
	expvar.Publish("seam", expvar.Func(func() any { return weld.ReadStats() }))
	fmt.Println(expvar.Get("seam"))
	// Output: {"functions":[]}
}
