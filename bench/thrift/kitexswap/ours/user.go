// Package user is a program as Kitex's users write it: a handler and its calls. There are
// two of it, which differ in nothing but where the generated code comes from.
package user

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/client/callopt"
	"github.com/cloudwego/kitex/server"

	"github.com/seamgo/seam/bench/thrift/kitexswap/ours/gen/base"
	"github.com/seamgo/seam/bench/thrift/kitexswap/ours/gen/shop"
	"github.com/seamgo/seam/bench/thrift/kitexswap/ours/gen/shop/orderservice"
)

// A Handler handles the calls of the service.
type Handler struct{ Notified atomic.Int64 }

var _ shop.OrderService = (*Handler)(nil)

// Ping is the function of the service that is extended.
func (h *Handler) Ping(ctx context.Context, req *base.BaseReq) (*base.BaseResp, error) {
	resp := base.NewBaseResp()
	if req.IsSetExtra() {
		resp.SetStatusMessage(req.GetExtra()["say"])
	}
	return resp, nil
}

func (h *Handler) CreateOrder(ctx context.Context, req *shop.CreateOrderRequest) (*shop.CreateOrderResponse, error) {
	if req.Order.UserId == 0 {
		return nil, &base.NotFound{Id: req.Order.Id}
	}
	o := *req.Order
	o.Status = shop.OrderStatus_PAID
	if !req.Order.IsSetPreviousStatus() {
		o.PreviousStatus = shop.OrderStatus_CANCELLED
	}
	o.BySku = map[string]*shop.Item{}
	for _, item := range o.Items {
		item.Quantity++
		o.BySku[item.SkuId] = item
	}
	o.StatusTimes = map[shop.OrderStatus]int64{shop.OrderStatus_PAID: 7}
	resp := &shop.CreateOrderResponse{Order: &o, BaseResp: base.NewBaseResp()}
	if req.IsSetBase() {
		resp.BaseResp.SetStatusMessage(req.GetBase().GetLogId())
	}
	return resp, nil
}

func (h *Handler) GetOrder(ctx context.Context, orderId int64, traceId string) (*shop.Order, error) {
	if orderId < 0 {
		reason := "negative"
		return nil, &base.NotFound{Id: orderId, Reason: &reason}
	}
	if orderId == 0 {
		return nil, errors.New("no id")
	}
	o := shop.NewOrder()
	o.SetId(orderId)
	if traceId != "" {
		o.Tags = []string{traceId}
	}
	return o, nil
}

func (h *Handler) Count(ctx context.Context, status shop.OrderStatus) (int64, error) {
	return int64(status) * 10, nil
}

func (h *Handler) Describe(ctx context.Context, userId shop.UserId) (string, error) {
	return fmt.Sprintf("user %d, at most %d in %s", userId, shop.MAX_PAGE_SIZE, shop.DefaultCurrency), nil
}

func (h *Handler) Cancel(ctx context.Context, id int64) (bool, error) { return id%2 == 0, nil }

func (h *Handler) Arrivals(ctx context.Context, args *shop.NewArrivalsArgs_) ([]*shop.Item, error) {
	list := make([]*shop.Item, args.GetLimit())
	for i := range list {
		list[i] = &shop.CartItem{SkuId: fmt.Sprint("sku", i), Quantity: int32(i)}
	}
	return list, nil
}

func (h *Handler) Search(ctx context.Context, text string, type_ []string) (*shop.SearchResult_, error) {
	return &shop.SearchResult_{Items: []*shop.Item{{SkuId: text + strings.Join(type_, ",")}}}, nil
}

func (h *Handler) StatusOf(ctx context.Context, id int64) (shop.OrderStatus, error) {
	return shop.OrderStatusFromString("CANCELLED")
}

func (h *Handler) Touch(ctx context.Context, id int64) error {
	if id == 404 {
		return fmt.Errorf("touched: %w", &base.NotFound{Id: id})
	}
	return nil
}

func (h *Handler) Reset(ctx context.Context) error { return nil }

func (h *Handler) Notify(ctx context.Context, message string) error {
	h.Notified.Add(int64(len(message)))
	return nil
}

// Serve makes a server.
func Serve(h *Handler, opts ...server.Option) server.Server {
	return orderservice.NewServer(h, opts...)
}

// Register adds the service to a server with others.
func Register(s server.Server, h *Handler) error { return orderservice.RegisterService(s, h) }

// Invoker makes an invoker.
func Invoker(h *Handler) server.Invoker { return orderservice.NewInvoker(h) }

// Talk calls each function, and tells what came back.
func Talk(ctx context.Context, opts ...client.Option) (said []string, err error) {
	var c orderservice.Client
	if c, err = orderservice.NewClient("shop", opts...); err != nil {
		return nil, err
	}
	say := func(v any, err error) {
		var missing *base.NotFound
		switch {
		case errors.As(err, &missing):
			said = append(said, fmt.Sprint("not found: ", missing.Id, " ", missing.GetReason(), " ", missing.IsSetReason()))
		case err != nil:
			text, _, _ := strings.Cut(err.Error(), "NotFound") // structs print themselves differently
			said = append(said, "error: "+text)
		default:
			text, err := json.Marshal(v)
			if err != nil {
				text = []byte(err.Error())
			}
			said = append(said, string(text))
		}
	}
	voucher := int64(12)
	o := &shop.Order{
		Id: 1, UserId: 2, Status: shop.OrderStatus_NEW, HTTPStatus: 200,
		Items:   []*shop.Item{{SkuId: "a", Currency: "USD"}, shop.NewItem()},
		Payment: &shop.Payment{VoucherId: &voucher}, RawData: []byte("raw"),
	}
	o.InitDefault()
	o.SetRetryCount(shop.Order_RetryCount_DEFAULT + 1)
	o.SetReferredBy(&o.UserId)
	say([]any{o.IsSetPreviousStatus(), o.IsSetRetryCount(), o.IsSetPayment(), o.Payment.CountSetFieldsPayment(), o.IsSetPageSizes(),
		o.GetReferredBy(), o.IsSetParentOrder(), o.GetParentOrder() == nil, o.Items[1].IsSetGiftWrap(), o.Items[1].Currency,
		shop.OrderStatusPtr(shop.OrderStatus_PAID).String(), shop.Item_Currency_DEFAULT, *shop.NewCartItem()}, nil)
	say(c.CreateOrder(ctx, &shop.CreateOrderRequest{Order: o, Base: &base.BaseReq{LogId: "log"}}, callopt.WithTag("k", "v")))
	o.PreviousStatus = shop.OrderStatus_PAID
	say(c.CreateOrder(ctx, &shop.CreateOrderRequest{Order: o}))
	say(c.CreateOrder(ctx, &shop.CreateOrderRequest{Order: &shop.Order{Id: 5}}))
	say(c.GetOrder(ctx, 3, "t1"))
	say(c.GetOrder(ctx, 3, ""))
	say(c.GetOrder(ctx, -3, ""))
	say(c.GetOrder(ctx, 0, ""))
	say(c.Count(ctx, shop.OrderStatus_CANCELLED))
	say(c.Describe(ctx, 42))
	say(c.Cancel(ctx, 2))
	say(c.Arrivals(ctx, &shop.NewArrivalsArgs_{}))
	say(c.Arrivals(ctx, shop.NewNewArrivalsArgs_()))
	say(c.Search(ctx, "x", []string{"y", "z"}))
	say(c.StatusOf(ctx, 1))
	say("touch", c.Touch(ctx, 404))
	say("touch", c.Touch(ctx, 1))
	say("reset", c.Reset(ctx))
	say(c.Ping(ctx, &base.BaseReq{Extra: map[string]string{"say": "hello"}}))
	say("notify", c.Notify(ctx, "twelve bytes"))
	return said, nil
}
