package kitexswap

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/server"

	"github.com/seamgo/seam/bench/thrift/kitexpeer"
	ours "github.com/seamgo/seam/bench/thrift/kitexswap/ours"
	"github.com/seamgo/seam/bench/thrift/kitexswap/ours/use/orderservice"
	theirs "github.com/seamgo/seam/bench/thrift/kitexswap/theirs"
)

// The programs differ in nothing but an import path.
func TestProgramIsTheSame(t *testing.T) {
	for _, name := range []string{"user.go", "stream.go"} {
		a, err := os.ReadFile("theirs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile("ours/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytes.ReplaceAll(a, []byte("kitexswap/theirs/gen"), []byte("kitexswap/ours/gen")), b) {
			t.Errorf("ours/%s is not theirs/%[1]s: ./generate", name)
		}
	}
}

// Streams go both ways, too: each client with each server.
func TestStreams(t *testing.T) {
	var want []string
	for server, make := range map[string]func(...server.Option) server.Server{"our": ours.ServeFeed, "their": theirs.ServeFeed} {
		address := kitexpeer.Serve(t, make)
		for client, talk := range map[string]func(context.Context, string) ([]string, error){"our": ours.TalkStreams, "their": theirs.TalkStreams} {
			got, err := talk(t.Context(), address)
			if err != nil {
				t.Fatalf("%s client, %s server: %v", client, server, err)
			}
			if want == nil {
				want = got
				t.Log(len(got), got)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s client, %s server:\n%q\nwant\n%q", client, server, got, want)
			}
		}
	}
	for _, line := range []string{"watch: sku2 1 USD", "watch's end: end", "watch's end: error: no order -1", "upload: sku1 1 USD", "list: end", "first: sku0 1 USD", "first of none: error: no items", "last: sku2 1 USD"} {
		if !slices.Contains(want, line) {
			t.Errorf("%q is not among the answers", line)
		}
	}
}

func TestEitherTalksToEither(t *testing.T) {
	var our, used ours.Handler
	var kitex theirs.Handler
	servers := map[string]struct {
		make     func(...server.Option) server.Server
		notified func() int64
	}{
		"our":             {func(o ...server.Option) server.Server { return ours.Serve(&our, o...) }, our.Notified.Load},
		"their":           {func(o ...server.Option) server.Server { return theirs.Serve(&kitex, o...) }, kitex.Notified.Load},
		"kitex's package": {func(o ...server.Option) server.Server { return orderservice.NewServer(&used, o...) }, used.Notified.Load},
		"registered": {func(o ...server.Option) server.Server {
			s := server.NewServer(o...)
			if err := ours.Register(s, &our); err != nil {
				t.Error(err)
			}
			return s
		}, our.Notified.Load},
	}
	clients := map[string]func(context.Context, ...client.Option) ([]string, error){"our": ours.Talk, "their": theirs.Talk}
	var want []string
	for name, s := range servers {
		address := kitexpeer.Serve(t, s.make)
		for caller, talk := range clients {
			for by, protocol := range kitexpeer.Transports {
				t.Run(caller+" client, "+name+" server, "+by, func(t *testing.T) {
					before := s.notified()
					got, err := talk(t.Context(), kitexpeer.Options(address, protocol)...)
					if err != nil {
						t.Fatal(err)
					}
					if want == nil {
						want = got
						t.Log(len(got), got)
					}
					for i := range max(len(got), len(want)) {
						if i >= len(got) || i >= len(want) || got[i] != want[i] {
							t.Fatalf("answer %d:\n%s\nwant\n%s", i, slices.Concat(got, []string{"nothing"})[min(i, len(got))], slices.Concat(want, []string{"nothing"})[min(i, len(want))])
						}
					}
					for deadline := time.Now().Add(time.Minute); s.notified() == before; time.Sleep(time.Millisecond) {
						if time.Now().After(deadline) {
							t.Fatal("the oneway call does not arrive")
						}
					}
				})
			}
		}
	}
	if len(want) < 20 {
		t.Errorf("only %d answers", len(want))
	}
}
