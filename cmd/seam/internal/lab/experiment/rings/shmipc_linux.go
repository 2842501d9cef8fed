package rings

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// The program has a build constraint that keeps it out of our own build, and shmipc-go out of
// our go.mod: it is cut off. What it is built with is fetched through the user's GOPROXY.
//
//go:embed shmipc/main.go
var shmipcMain string

//go:embed shmipc.mod
var shmipcMod string

//go:embed shmipc.sum
var shmipcSum string

var shmipcProgram = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	return buildShmipc(ctx)
})

func buildShmipc(ctx context.Context) (string, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", lab.Skip("shmipc-go is built with the go command, and there is none: %v", err)
	}
	env := []string{"CGO_ENABLED=0"}
	settings, err := progcache.Env(ctx, tool, env)
	if err != nil {
		return "", lab.Skip("the go command can't be used to build shmipc-go: %v", err)
	}
	files := map[string]string{"go.mod": shmipcMod, "go.sum": shmipcSum, "shmipc/main.go": strings.TrimPrefix(shmipcMain, "//go:build ignore\n")}
	program, err := progcache.Program{
		Cache: "ring", Files: files, Package: "./shmipc", Env: env, Flags: []string{"-ldflags=-w"},
	}.Build(ctx, tool, settings)
	if err != nil {
		return "", lab.Skip("shmipc-go can't be built: %v", err)
	}
	return program, nil
}

type shmipcOrder struct {
	Send, Together, Echo int
	Time                 bool
}

// throughShmipc leads through shmipc-go from one process to another, neither of which is this
// one: it tells the first what to do, which takes microseconds for any number of records.
func throughShmipc(ctx context.Context, size int, via string) (*wire, error) {
	program, err := shmipcProgram()
	if err != nil {
		return nil, err
	}
	child, err := subprocess.StartProgram(ctx, program, strconv.Itoa(size))
	if err != nil {
		return nil, err
	}
	together := batch(size)
	if via == viaShmipcEach {
		together = 1
	}
	do := func(o shmipcOrder) ([]float64, error) {
		var a struct {
			Times []float64
			Error string
		}
		if err := child.Ask(o, &a); err != nil {
			return nil, err
		}
		if a.Error != "" {
			return nil, errors.New(a.Error)
		}
		return a.Times, nil
	}
	return &wire{
		send: func(n int) error {
			_, err := do(shmipcOrder{Send: n, Together: together})
			return err
		},
		echo: func(n int) error {
			_, err := do(shmipcOrder{Echo: n})
			return err
		},
		times: func(n int) ([]float64, error) {
			times, err := do(shmipcOrder{Echo: n, Time: true})
			if err == nil && len(times) != n {
				err = fmt.Errorf("%d times of %d round trips", len(times), n)
			}
			return times, err
		},
		close: func() { child.Close() },
	}, nil
}

func isShmipc(via string) bool { return strings.HasPrefix(via, viaShmipc) }
