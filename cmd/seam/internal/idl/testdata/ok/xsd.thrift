// What is left of the generator of XML schemas means nothing any more.
struct Schema xsd_all {
  1: i32 one xsd_optional,
  2: i32 two = 5 xsd_optional xsd_nillable,
  3: string three xsd_nillable xsd_attrs { 1: i32 lang, 2: string note = "x" } (a = "b"),
  4: i32 four xsd_attrs {
    1: i32 deep xsd_attrs {},
  }
}

union SchemaUnion xsd_all {
  1: i32 one,
}
