// A byte order mark, and line ends of two bytes.
namespace go corpus.crlf

/*
 * Block
 */
struct A {
  1: i32 a, // a

	2: string b = "x" // b
}
