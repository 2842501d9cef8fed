namespace go catalog

struct Part {
    1: required i64 id
    2: string name
    3: optional double price
}

struct Item {
    1: required string sku
    2: string title
    3: list<Part> parts
    4: map<string, Part> by_name
    5: optional string note
}

service Catalog {
    // An item, and of it what the paths name.
    Item get(1: string sku, 2: list<string> paths)
    list<Item> all(1: list<string> paths)
    // Says what has arrived of the item.
    string put(1: Item item)
}
