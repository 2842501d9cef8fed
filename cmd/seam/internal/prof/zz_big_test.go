package prof

import (
	"fmt"
	"math/rand"
	"os"
	"testing"
)

func TestZZBig(t *testing.T) {
	p := New(CPU, Wall)
	r := rand.New(rand.NewSource(1))
	for i := 0; i < 5000; i++ {
		var names []Frame
		depth := 15 + r.Intn(40)
		for d := depth; d > 0; d-- {
			n := r.Intn(3 + d*2)
			var f Frame
			switch {
			case d < 6:
				f = Frame{Func: fmt.Sprintf("example.com/server/pkg%d.(*Handler).Serve%d", d, n%3), File: "/src/server.go", Line: n}
			case d == 6:
				f = Frame{Func: "runtime.cgocall", File: "/go/src/runtime/cgocall.go"}
			case d > 30:
				f = Frame{Func: fmt.Sprintf("rocksdb::DBImpl::Write%d", n), File: "/src/db.cc", Line: n}
			default:
				f = Frame{Func: fmt.Sprintf("c_function_%d_%d", d, n), File: "/src/c.c", Line: n}
			}
			f.Kind = kindOf(f.Func, f.File)
			names = append(names, f)
		}
		names = append(names, Frame{Func: "main.main", File: "/src/main.go"}, Frame{Func: "runtime.main", File: "/go/src/runtime/proc.go"})
		v := int64(10000000)
		if i%5 == 0 {
			p.Add(names, nil, 0, v)
		} else {
			p.Add(names, nil, v, 0)
		}
	}
	p.AddCrossings()
	p.Duration = 50e9
	f, _ := os.Create("/tmp/prof/big.html")
	if err := p.WriteHTML(f, "go test -bench .", nil); err != nil {
		t.Fatal(err)
	}
	f.Close()
	f, _ = os.Create("/tmp/prof/big.json")
	if err := p.WriteSpeedscope(f); err != nil {
		t.Fatal(err)
	}
	f.Close()
	f, _ = os.Create("/tmp/prof/big.folded")
	_ = p.WriteFolded(f)
	f.Close()
}
