package kitexrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cloudwego/kitex/server"

	"github.com/seamgo/seam/bench/thrift/codecs"
	"github.com/seamgo/seam/bench/thrift/kitexpeer"
	"github.com/seamgo/seam/bench/thrift/peers/kitex"
	theirs "github.com/seamgo/seam/bench/thrift/peers/kitex/serialize"
	"github.com/seamgo/seam/bench/thrift/peers/seamkitex"
	ours "github.com/seamgo/seam/bench/thrift/peers/seamkitex/serialize"
)

// ourHandler and theirHandler give back what they get, or an error if that has no data1.
type ourHandler struct{}

func (*ourHandler) Method(_ context.Context, req *seamkitex.Example) (*seamkitex.Example, error) {
	if len(req.Data1) == 0 {
		return nil, errors.New("nothing in data1")
	}
	return req, nil
}

type theirHandler struct{}

func (*theirHandler) Method(_ context.Context, req *kitex.Example) (*kitex.Example, error) {
	if len(req.Data1) == 0 {
		return nil, errors.New("nothing in data1")
	}
	return req, nil
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestKitexClientToOurTypes(t *testing.T) {
	address := kitexpeer.Serve(t, kitexpeer.Register(t, func(s server.Server) error { return ours.RegisterService(s, &ourHandler{}) }))
	for name, p := range kitexpeer.Transports {
		t.Run(name, func(t *testing.T) {
			c, err := theirs.NewClient("serialize", kitexpeer.Options(address, p)...)
			if err != nil {
				t.Fatal(err)
			}
			want := codecs.Example(64)
			got, err := c.Method(t.Context(), want)
			if err != nil {
				t.Fatal(err)
			}
			if !got.DeepEqual(want) {
				t.Error("another message came back")
			}
			if _, err := c.Method(t.Context(), &kitex.Example{}); err == nil || !strings.Contains(err.Error(), "nothing in data1") {
				t.Errorf("the handler's error came back as %v", err)
			}
		})
	}
}

func TestOurTypesToKitexServer(t *testing.T) {
	address := kitexpeer.Serve(t, kitexpeer.Register(t, func(s server.Server) error { return theirs.RegisterService(s, &theirHandler{}) }))
	for name, p := range kitexpeer.Transports {
		t.Run(name, func(t *testing.T) {
			c, err := ours.NewClient("serialize", kitexpeer.Options(address, p)...)
			if err != nil {
				t.Fatal(err)
			}
			want := new(seamkitex.Example)
			if err := want.DecodeBinary(codecs.Reference()["ex64"]); err != nil {
				t.Fatal(err)
			}
			got, err := c.Method(t.Context(), want)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(want) {
				t.Error("another message came back")
			}
			if !bytes.Equal(asJSON(t, got), asJSON(t, codecs.Example(64))) {
				t.Error("it is not what Kitex's own type holds")
			}
			if _, err := c.Method(t.Context(), &seamkitex.Example{}); err == nil || !strings.Contains(err.Error(), "nothing in data1") {
				t.Errorf("the handler's error came back as %v", err)
			}
		})
	}
}
