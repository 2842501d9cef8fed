enum A { ONE = 1.5, TWO = "2", THREE = ONE, FOUR = }
enum B { list, a.b, true, 1 }
enum C {
  ONE = 1
  TWO: 2
  THREE = 3 4
  FOUR = 0x
  FIVE = 12abc
  SIX = 99999999999999999999
  SEVEN = -
  EIGHT
}
