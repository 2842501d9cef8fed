// A message as services send them: some 1.2 KB of short strings and numbers.

namespace go PEER

enum Status {
  NEW = 1
  PAID = 2
  SHIPPED = 3
  CANCELLED = 4
}

struct Address {
  1: string name
  2: string street
  3: string city
  4: string postcode
  5: string country
  6: optional string phone
}

struct Item {
  1: string sku
  2: string title
  3: i32 quantity
  4: i64 cents
  5: bool gift
  6: optional double discount
}

struct Order {
  1: i64 id
  2: string customer
  3: string email
  4: Status status
  5: i64 created
  6: i64 updated
  7: bool paid
  8: double total
  9: i32 version
  10: Address shipping
  11: list<Item> items
  12: map<string, string> attributes
  13: optional string note
  14: optional i64 deadline
  15: optional Address billing
  16: string currency
  17: list<string> tags
}
