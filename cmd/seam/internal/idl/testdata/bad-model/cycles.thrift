typedef B A
typedef list<C> B
typedef A C
typedef D D
const i32 ONE = TWO
const i32 TWO = THREE
const i32 THREE = ONE
const list<i32> SELF = [1, ME]
const i32 ME = ME
service S1 extends S2 {}
service S2 extends S3 {}
service S3 extends S1 {}
struct Node { 1: required Node next }
struct Egg { 1: required Hen from }
struct Hen { 1: required Egg from, 2: optional Hen friend, 3: list<Hen> flock }
struct Fill { 1: Fill more = {} }
struct Ping { 1: Pong pong = {"n": 1} }
struct Pong { 1: i32 n, 2: list<Ping> ping = [{}] }
