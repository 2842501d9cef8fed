package kitexrpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/bytedance/gopkg/cloud/metainfo"
	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/pkg/kerrors"
	"github.com/cloudwego/kitex/pkg/rpcinfo"
	"github.com/cloudwego/kitex/pkg/transmeta"
	"github.com/cloudwego/kitex/server"

	"github.com/seamgo/seam/bench/thrift/codecs"
	"github.com/seamgo/seam/bench/thrift/kitexpeer"
	"github.com/seamgo/seam/bench/thrift/peers/kitex"
	theirs "github.com/seamgo/seam/bench/thrift/peers/kitex/serialize"
	"github.com/seamgo/seam/bench/thrift/peers/seam"
	"github.com/seamgo/seam/thrift"
)

// seen is what a handler knows of its call besides the arguments.
type seen struct {
	function, value, token string
	left                   time.Duration
}

func (s seen) check(t *testing.T) {
	t.Helper()
	if s.function != "Method" || s.value != "a value" || s.token != "a token" || s.left <= 0 || s.left > 10*time.Second {
		t.Errorf("the handler knows %+v", s)
	}
}

// ourService is a handler of our own server.
type ourService struct{ seen chan seen }

func (s ourService) Method(ctx context.Context, req *seam.Example) (*seam.Example, error) {
	info := thrift.ReceivedInfo(ctx)
	var left time.Duration
	if d, ok := ctx.Deadline(); ok {
		left = time.Until(d)
	}
	s.seen <- seen{info.Numbers[9], info.Strings["RPC_TRANSIT_key"], info.Strings["RPC_TRANSIT_gdpr-token"], left}
	if len(req.Data1) == 0 {
		// The error that a program of Kitex knows as one of the business.
		if err := thrift.SetAnswerInfo(ctx, thrift.Info{Strings: map[string]string{"biz-status": "404", "biz-message": "nothing in data1"}}); err != nil {
			return nil, errors.New("nothing in data1")
		}
	}
	return req, nil
}

func TestKitexClientToOurServer(t *testing.T) {
	calls := make(chan seen, 1)
	s := &thrift.Server{Processor: seam.NewSerializeProcessor(ourService{calls}), Logger: slog.New(slog.DiscardHandler)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	defer func() { _ = s.Close(); <-done }()
	for name, p := range kitexpeer.Transports {
		t.Run(name, func(t *testing.T) {
			c, err := theirs.NewClient("serialize", append(kitexpeer.Options(l.Addr().String(), p),
				client.WithMetaHandler(transmeta.ClientTTHeaderHandler), client.WithMetaHandler(transmeta.MetainfoClientHandler))...)
			if err != nil {
				t.Fatal(err)
			}
			ctx := metainfo.WithValue(metainfo.WithValue(t.Context(), "key", "a value"), "gdpr-token", "a token")
			want := codecs.Example(64)
			for range 3 {
				got, err := c.Method(ctx, want)
				if err != nil {
					t.Fatal(err)
				}
				if !got.DeepEqual(want) {
					t.Error("another message came back")
				}
				if got := <-calls; strings.HasPrefix(name, "ttheader") {
					got.check(t)
				}
			}
			_, err = c.Method(ctx, &kitex.Example{})
			<-calls
			if status, ok := kerrors.FromBizStatusError(err); strings.HasPrefix(name, "ttheader") {
				if !ok || status.BizStatusCode() != 404 || status.BizMessage() != "nothing in data1" {
					t.Errorf("the handler's error came back as %v", err)
				}
			} else if err == nil || !strings.Contains(err.Error(), "nothing in data1") {
				t.Errorf("the handler's error came back as %v", err)
			}
		})
	}
}

// theirService is a handler of Kitex's server.
type theirService struct{ seen chan seen }

func (s theirService) Method(ctx context.Context, req *kitex.Example) (*kitex.Example, error) {
	ri := rpcinfo.GetRPCInfo(ctx)
	value, _ := metainfo.GetValue(ctx, "key")
	token, _ := metainfo.GetValue(ctx, "gdpr-token")
	s.seen <- seen{ri.Invocation().MethodName(), value, token, ri.Config().RPCTimeout()}
	if len(req.Data1) == 0 {
		return nil, kerrors.NewBizStatusError(404, "nothing in data1")
	}
	return req, nil
}

func TestOurClientToKitexServer(t *testing.T) {
	calls := make(chan seen, 1)
	address := kitexpeer.Serve(t, func(o ...server.Option) server.Server {
		return theirs.NewServer(&theirService{calls}, append(o, server.WithMetaHandler(transmeta.ServerTTHeaderHandler), server.WithMetaHandler(transmeta.MetainfoServerHandler))...)
	})
	for _, f := range []thrift.Framing{thrift.TTHeader, thrift.Framed, thrift.Buffered} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			conn, err := thrift.Dial(t.Context(), "tcp", address, thrift.ConnOptions{Framing: f})
			if err != nil {
				t.Fatal(err)
			}
			caller := thrift.NewClient(conn, thrift.ClientOptions{})
			defer caller.Close()
			c := seam.NewSerializeClient(caller)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			var answer thrift.Info
			ctx = thrift.WithAnswerInfo(thrift.WithInfo(ctx, thrift.Info{
				Strings: map[string]string{"RPC_TRANSIT_key": "a value", "RPC_TRANSIT_gdpr-token": "a token"},
			}), &answer)
			want := new(seam.Example)
			if err := want.DecodeBinary(codecs.Reference()["ex64"]); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				got, err := c.Method(ctx, want)
				if err != nil {
					t.Fatal(err)
				}
				if !got.Equal(want) {
					t.Error("another message came back")
				}
				if got := <-calls; f == thrift.TTHeader {
					got.check(t)
				}
			}
			_, err = c.Method(ctx, &seam.Example{})
			<-calls
			var e *thrift.ApplicationException
			if f == thrift.TTHeader {
				if answer.Strings["biz-status"] != "404" || answer.Strings["biz-message"] != "nothing in data1" {
					t.Errorf("the handler's error came back as %v, with %v", err, answer)
				}
			} else if !errors.As(err, &e) {
				t.Errorf("the handler's error came back as %v", err)
			}
		})
	}
}
