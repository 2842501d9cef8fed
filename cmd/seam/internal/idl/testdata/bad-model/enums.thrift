enum Color { RED = 1, GREEN = 2, BLUE = 4 }
enum Fruit { APPLE = 1 }
const Color A = Color.GREN
const Color B = Fruit.APPLE
const Color C = 3
const Color D = "RED"
const Color E = GREN
const Color F = 4294967296
const Color G = Colour.RED
const Color H = [1]
const i32 I = Color.RED
const i32 J = RED
const string K = Color.RED
const Fruit L = A_COLOR
const Color A_COLOR = Color.BLUE
