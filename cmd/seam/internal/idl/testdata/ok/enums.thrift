enum Plain {
  ZERO,
  ONE,
  TWO,
}

enum Numbers {
  NEGATIVE = -5,
  NEXT,
  HEX = 0x10,
  NEGATIVE_HEX = -0x2,
  PLUS = +7,
  PLUS_HEX = +0xFf,
  MAX = 2147483647,
  MIN = -2147483648,
  AFTER_MIN
}

enum Separators { A = 1, B = 2; C D = 9
  E; F }

enum Annotated {
  A = 1 (a = "b"),
  B (c),
  C = 3 (d = "e", f) ;
} (whole = "enum")

enum Empty {}
