package user

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/client/streamclient"
	"github.com/cloudwego/kitex/server"

	"github.com/seamgo/seam/bench/thrift/kitexswap/theirs/gen/shop"
	"github.com/seamgo/seam/bench/thrift/kitexswap/theirs/gen/shop/feed"
)

// A Feed handles the calls of a service that streams.
type Feed struct{}

var _ shop.Feed = (*Feed)(nil)

// Watch sends back the items of each order.
func (*Feed) Watch(stream shop.Feed_watchServer) error {
	for {
		o, err := stream.Recv()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case o.Id < 0:
			return fmt.Errorf("no order %d", o.Id)
		}
		for _, item := range o.Items {
			if err := stream.Send(item); err != nil {
				return err
			}
		}
	}
}

// UploadAll returns all items.
func (*Feed) UploadAll(stream shop.Feed_upload_allServer) error {
	all := shop.NewSearchResult_()
	for {
		item, err := stream.Recv()
		if err == io.EOF {
			return stream.SendAndClose(all)
		}
		if err != nil {
			return err
		}
		all.Items = append(all.Items, item)
	}
}

// ListItems sends the items of an order.
func (*Feed) ListItems(req *shop.Order, stream shop.Feed_list_itemsServer) error {
	for _, item := range req.Items {
		if err := stream.Send(item); err != nil {
			return err
		}
	}
	return nil
}

// First returns an order's first item.
func (*Feed) First(ctx context.Context, order *shop.Order) (*shop.Item, error) {
	if len(order.Items) == 0 {
		return nil, errors.New("no items")
	}
	return order.Items[0], nil
}

// Last is called as other functions are.
func (*Feed) Last(ctx context.Context, order *shop.Order) (*shop.Item, error) {
	return order.Items[len(order.Items)-1], nil
}

// ServeFeed makes a server.
func ServeFeed(opts ...server.Option) server.Server { return feed.NewServer(new(Feed), opts...) }

// TalkStreams calls each function, and tells what came back.
func TalkStreams(ctx context.Context, address string) (said []string, err error) {
	//lint:ignore SA1019 what this flavour of kitex's code takes
	c, err := feed.NewStreamClient("feed", streamclient.WithHostPorts(address))
	if err != nil {
		return nil, err
	}
	plain, err := feed.NewClient("feed", client.WithHostPorts(address))
	if err != nil {
		return nil, err
	}
	say := func(what string, item *shop.Item, err error) {
		switch {
		case err == io.EOF:
			said = append(said, what+": end")
		case err != nil:
			text := err.Error()
			for _, known := range []string{"no order -1", "no items"} {
				if strings.Contains(text, known) {
					text = known
				}
			}
			said = append(said, what+": error: "+text)
		default:
			said = append(said, fmt.Sprintf("%s: %s %d %s", what, item.SkuId, item.Quantity, item.Currency))
		}
	}
	o := shop.NewOrder()
	for i := range 3 {
		item := shop.NewItem()
		item.SkuId = fmt.Sprint("sku", i)
		item.Currency = "USD" // absent from a stream, kitex's code reads "", and ours the default
		o.Items = append(o.Items, item)
	}

	for _, id := range []int64{1, -1} {
		watch, err := c.Watch(ctx)
		if err != nil {
			return nil, err
		}
		for range 2 {
			if err := watch.Send(o); err != nil {
				return nil, err
			}
			for range o.Items {
				item, err := watch.Recv()
				say("watch", item, err)
			}
		}
		if id < 0 {
			if err := watch.Send(&shop.Order{Id: id}); err != nil {
				return nil, err
			}
		} else if err := watch.Close(); err != nil {
			return nil, err
		}
		_, err = watch.Recv()
		say("watch's end", nil, err)
	}

	upload, err := c.UploadAll(ctx)
	if err != nil {
		return nil, err
	}
	for _, item := range o.Items {
		if err := upload.Send(item); err != nil {
			return nil, err
		}
	}
	all, err := upload.CloseAndRecv()
	if err != nil {
		return nil, err
	}
	for _, item := range all.Items {
		say("upload", item, nil)
	}

	list, err := c.ListItems(ctx, o)
	if err != nil {
		return nil, err
	}
	for {
		item, err := list.Recv()
		say("list", item, err)
		if err != nil {
			break
		}
	}

	item, err := c.First(ctx, o)
	say("first", item, err)
	item, err = c.First(ctx, shop.NewOrder())
	say("first of none", item, err)
	item, err = plain.Last(ctx, o)
	say("last", item, err)
	return said, nil
}
