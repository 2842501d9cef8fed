// The shapes that services have in Kitex's examples: requests and responses with a base,
// enums, optional fields with and without defaults, exceptions, oneway functions, several
// arguments, plain results, a service that extends another file's.
namespace go shop

include "base.thrift"

const i32 MAX_PAGE_SIZE = 100
const string default_currency = "EUR"

enum OrderStatus {
  NEW = 1
  PAID = 2
  CANCELLED = 9
}

typedef i64 UserId
typedef Item CartItem

struct Item {
  1: required string sku_id
  2: i32 quantity = 1
  3: optional double unit_price
  4: optional string currency = default_currency
  5: optional bool gift_wrap = false
  6: list<string> image_urls
}

union Payment {
  1: string card_token
  2: i64 voucher_id
}

struct Order {
  1: i64 id
  2: UserId user_id
  3: OrderStatus status
  4: list<Item> items
  5: optional OrderStatus previous_status = OrderStatus.NEW
  6: optional Payment payment
  7: map<string, Item> by_sku
  8: set<string> tags
  9: optional binary raw_data
  10: optional list<i32> page_sizes = [10, 20]
  11: optional i32 retry_count = 3
  12: optional UserId referred_by
  13: map<OrderStatus, i64> status_times
  14: i64 HTTPStatus
  15: optional Order parent_order
}

struct CreateOrderRequest {
  1: required Order order
  255: optional base.BaseReq base
}

struct CreateOrderResponse {
  1: Order order
  255: base.BaseResp base_resp
}

struct NewArrivalsArgs {
  1: optional i32 limit = 5
}

struct SearchResult {
  1: list<Item> items
}

service OrderService extends base.Health {
  CreateOrderResponse createOrder(1: CreateOrderRequest req) throws (1: base.NotFound not_found)
  Order get_order(1: i64 order_id, 2: string trace_id) throws (1: base.NotFound not_found)
  i64 count(1: OrderStatus status)
  string describe(1: UserId user_id)
  bool cancel(1: i64 id)
  list<Item> arrivals(1: NewArrivalsArgs args)
  SearchResult search(1: string text, 2: list<string> type)
  OrderStatus status_of(1: i64 id)
  void touch(1: i64 id) throws (1: base.NotFound err)
  void reset()
  oneway void notify(1: string message)
}

// What kitex calls through streams, and a function that it doesn't.
service Feed {
  Item watch(1: Order order) (streaming.mode = "bidirectional")
  SearchResult upload_all(1: Item item) (streaming.mode = "client")
  Item list_items(1: Order order) (streaming.mode = "server")
  Item first(1: Order order) (streaming.mode = "unary")
  Item last(1: Order order)
}
