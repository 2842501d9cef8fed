package kitexswap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/pkg/kerrors"
	"github.com/cloudwego/kitex/pkg/serviceinfo"
	"github.com/cloudwego/kitex/pkg/streaming"
	"github.com/cloudwego/kitex/server"
	"github.com/cloudwego/kitex/transport"

	"github.com/seamgo/seam/bench/thrift/kitexpeer"
	plain "github.com/seamgo/seam/bench/thrift/kitexswap/plain/shop"
	theirs "github.com/seamgo/seam/bench/thrift/kitexswap/theirs"
	"github.com/seamgo/seam/bench/thrift/kitexswap/theirs/gen/shop"
	"github.com/seamgo/seam/bench/thrift/kitexswap/theirs/gen/shop/feed"
	"github.com/seamgo/seam/thrift"
)

// A plainFeed handles the calls of Feed without Kitex, as theirs.Feed does.
type plainFeed struct{ cancelled chan error }

func (h plainFeed) Watch(ctx context.Context, in *thrift.Receiver[*plain.Order], out *thrift.Sender[*plain.Item]) error {
	if err := out.SetHeader(thrift.Info{Strings: map[string]string{"head": thrift.ReceivedInfo(ctx).Strings["isn"]}}); err != nil {
		return err
	}
	if err := thrift.SetAnswerInfo(ctx, thrift.Info{Strings: map[string]string{"tail": "x"}}); err != nil {
		return err
	}
	for order, err := range in.All() {
		if err != nil {
			h.cancelled <- err
			return err
		}
		if order.ID < 0 {
			return fmt.Errorf("no order %d", order.ID)
		}
		for _, item := range order.Items {
			if err := out.Send(item); err != nil {
				return err
			}
		}
	}
	return nil
}

func (plainFeed) UploadAll(_ context.Context, in *thrift.Receiver[*plain.Item]) (*plain.SearchResult, error) {
	all := plain.NewSearchResult()
	for item, err := range in.All() {
		if err != nil {
			return nil, err
		}
		all.Items = append(all.Items, item)
	}
	return all, nil
}

func (plainFeed) ListItems(_ context.Context, order *plain.Order, out *thrift.Sender[*plain.Item]) error {
	return out.SendAll(slices.Values(order.Items))
}

func (plainFeed) First(_ context.Context, order *plain.Order) (*plain.Item, error) {
	if len(order.Items) == 0 {
		return nil, errors.New("no items")
	}
	return order.Items[0], nil
}

func (plainFeed) Last(_ context.Context, order *plain.Order) (*plain.Item, error) {
	return order.Items[len(order.Items)-1], nil
}

// kitexFeed is Kitex's server of what streams, over its interface for any transport: that of the code
// which kitex writes without -streamx has HTTP/2 alone.
func kitexFeed(o ...server.Option) server.Server {
	info := feed.NewServiceInfo()
	handle := func(name string, mode serviceinfo.StreamingMode, f func(context.Context, streaming.ServerStream) error) {
		info.Methods[name] = serviceinfo.NewMethodInfo(func(ctx context.Context, _, args, _ any) error {
			return f(ctx, args.(*streaming.Args).ServerStream)
		}, nil, nil, false, serviceinfo.WithStreamingMode(mode))
	}
	handle("watch", serviceinfo.StreamingBidirectional, func(ctx context.Context, st streaming.ServerStream) error {
		for {
			order := new(shop.Order)
			switch err := st.RecvMsg(ctx, order); {
			case err == io.EOF:
				return nil
			case err != nil:
				return err
			case order.Id < 0:
				return fmt.Errorf("no order %d", order.Id)
			}
			for _, item := range order.Items {
				if err := st.SendMsg(ctx, item); err != nil {
					return err
				}
			}
		}
	})
	handle("upload_all", serviceinfo.StreamingClient, func(ctx context.Context, st streaming.ServerStream) error {
		all := shop.NewSearchResult_()
		for {
			item := new(shop.Item)
			switch err := st.RecvMsg(ctx, item); {
			case err == io.EOF:
				return st.SendMsg(ctx, all)
			case err != nil:
				return err
			}
			all.Items = append(all.Items, item)
		}
	})
	handle("list_items", serviceinfo.StreamingServer, func(ctx context.Context, st streaming.ServerStream) error {
		order := new(shop.Order)
		if err := st.RecvMsg(ctx, order); err != nil {
			return err
		}
		if order.Id < 0 {
			return kerrors.NewBizStatusError(7, "none of those")
		}
		for _, item := range order.Items {
			if err := st.SendMsg(ctx, item); err != nil {
				return err
			}
		}
		return nil
	})
	s := server.NewServer(o...)
	if err := s.RegisterService(info, new(theirs.Feed)); err != nil {
		panic(err)
	}
	return s
}

// Our client streams with Kitex's server over TTHeader.
func TestStreamsWithKitexServer(t *testing.T) {
	address := kitexpeer.Serve(t, kitexFeed)
	streams, err := thrift.NewStreams(thrift.StreamsOptions{Address: address})
	if err != nil {
		t.Fatal(err)
	}
	defer streams.Close()
	c := plain.NewFeedStreams(streams)
	order := &plain.Order{ID: 1, Items: []*plain.Item{{SkuID: "a"}, {SkuID: "b"}}}
	skus := func(in *thrift.Receiver[*plain.Item]) (list []string, err error) {
		for item, err := range in.All() {
			if err != nil {
				return list, err
			}
			list = append(list, item.SkuID)
		}
		return list, nil
	}

	for _, id := range []int64{1, -1} {
		out, in, err := c.Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := out.Send(order); err != nil {
				t.Fatal(err)
			}
		}
		if id < 0 {
			if err := out.Send(&plain.Order{ID: id}); err != nil {
				t.Fatal(err)
			}
		} else if err := out.CloseSend(); err != nil {
			t.Fatal(err)
		}
		got, err := skus(in)
		if e := (*thrift.ApplicationException)(nil); !slices.Equal(got, []string{"a", "b", "a", "b"}) || id > 0 && err != nil || id < 0 && (!errors.As(err, &e) || !strings.Contains(e.Message, "no order -1")) {
			t.Errorf("watch %d: %q, %v", id, got, err)
		}
	}

	up, err := c.UploadAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := up.SendAll(slices.Values(order.Items)); err != nil {
		t.Fatal(err)
	}
	if all, err := up.CloseAndRecv(); err != nil || len(all.Items) != 2 || all.Items[1].SkuID != "b" {
		t.Errorf("upload: %v, %v", all, err)
	}

	in, err := c.ListItems(t.Context(), order)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := skus(in); err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("list: %q, %v", got, err)
	}
	if in, err = c.ListItems(t.Context(), &plain.Order{ID: -1}); err != nil {
		t.Fatal(err)
	}
	if _, err := skus(in); err == nil || err.Error() != "biz-status 7: none of those" || in.Trailer().Strings["biz-message"] != "none of those" {
		t.Errorf("an error of the business: %v, %v", err, in.Trailer())
	}
}

// Kitex's client streams with our server.
func TestStreamsWithKitexClient(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := plainFeed{make(chan error, 1)}
	p := plain.NewFeedProcessor(h)
	s := &thrift.Server{Processor: thrift.Multiplexed{"": p, "Feed": p}} // streams name it, calls don't
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	defer func() { _ = s.Close(); <-served }()
	c, err := client.NewClient(feed.NewServiceInfoForStreamClient(), client.WithDestService("feed"), client.WithHostPorts(l.Addr().String()), client.WithTransportProtocol(transport.TTHeaderStreaming))
	if err != nil {
		t.Fatal(err)
	}
	open := func(ctx context.Context, method string) streaming.ClientStream {
		st, err := c.(client.Streaming).StreamX(ctx, method)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	order := shop.NewOrder()
	order.Id = 1
	for _, sku := range []string{"a", "b"} {
		order.Items = append(order.Items, &shop.Item{SkuId: sku, Currency: "USD"})
	}
	recv := func(ctx context.Context, st streaming.ClientStream, want ...string) {
		t.Helper()
		for _, sku := range want {
			item := new(shop.Item)
			if err := st.RecvMsg(ctx, item); err != nil || item.SkuId != sku {
				t.Errorf("%v, %v, want %s", item, err, sku)
			}
		}
	}
	for _, id := range []int64{1, -1} {
		ctx := t.Context()
		watch := open(ctx, "watch")
		for range 2 {
			if err := watch.SendMsg(ctx, order); err != nil {
				t.Fatal(err)
			}
			recv(ctx, watch, "a", "b")
		}
		if head, err := watch.Header(); err != nil || head["head"] != "Feed" {
			t.Errorf("header: %v, %v", head, err)
		}
		if id < 0 {
			if err := watch.SendMsg(ctx, &shop.Order{Id: id}); err != nil {
				t.Fatal(err)
			}
		} else if err := watch.CloseSend(ctx); err != nil {
			t.Fatal(err)
		}
		err := watch.RecvMsg(ctx, new(shop.Item))
		if id > 0 && err != io.EOF || id < 0 && (err == nil || !strings.Contains(err.Error(), "no order -1")) {
			t.Errorf("watch %d ends by %v", id, err)
		}
		if tail, err := watch.Trailer(); err != nil || tail["tail"] != "x" {
			t.Errorf("trailer: %v, %v", tail, err)
		}
	}

	up := open(t.Context(), "upload_all")
	for _, item := range order.Items {
		if err := up.SendMsg(t.Context(), item); err != nil {
			t.Fatal(err)
		}
	}
	if err := up.CloseSend(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := new(shop.SearchResult_)
	if err := up.RecvMsg(t.Context(), all); err != nil || len(all.Items) != 2 {
		t.Errorf("upload: %v, %v", all, err)
	}

	list := open(t.Context(), "list_items")
	if err := list.SendMsg(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	if err := list.CloseSend(t.Context()); err != nil {
		t.Fatal(err)
	}
	recv(t.Context(), list, "a", "b")
	if err := list.RecvMsg(t.Context(), new(shop.Item)); err != io.EOF {
		t.Errorf("list ends by %v", err)
	}

	// What kitex calls unary is an ordinary call, with this transport.
	result := shop.NewFeedFirstResult()
	if err := c.Call(t.Context(), "first", &shop.FeedFirstArgs{Order: order}, result); err != nil || result.Success.SkuId != "a" {
		t.Errorf("first: %v, %v", result, err)
	}

	// A cancelled context is a reset, by which the handler learns.
	ctx, cancel := context.WithCancel(t.Context())
	watch := open(ctx, "watch")
	if err := watch.SendMsg(ctx, order); err != nil {
		t.Fatal(err)
	}
	recv(ctx, watch, "a", "b")
	cancel()
	if err := watch.RecvMsg(ctx, new(shop.Item)); err == nil {
		t.Error("a message on a stream that was cancelled")
	}
	if err := <-h.cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler's stream ended by %v", err)
	}
}
