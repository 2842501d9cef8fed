namespace * sample.shared

// What both sides know.
enum Unit { PIECE = 1, GRAM, KILO = 10, KG = 10 }

typedef i64 user_id

struct Address {
  1: required string street
  2: optional string zip = "00000"
}

const Address HOME = {"street": "Main"}
