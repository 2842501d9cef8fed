strct A { 1: i32 a }
class B { 1: i32 a }
message C { 1: i32 a }
interface D { void f() }
senum E { "a", "b" }
type F i32
error G {}
;
struct H {};
struct I {},
struct list { 1: i33x }
struct a.b { 1: i32 a }
struct true {}
struct 1X { 1: i32 a }
struct J xsd_al { 1: i32 a }
exception K xsd_all {}
struct { 1: i32 a }
}
"text"
42
foo
enum L [ A ]
service M extends { void f() }
service N extends list { void f() }
typedef i32 string
typedef i32
typedef Foo (a = "b") O
const i32 P
const i32 Q = 
const i32 R = list
const void S = 1
union T extends R {}
struct Good { 1: i32 a }
