#!/usr/bin/env thrift
# A licence, apart from everything else.
#

/**
 * The file's own comment.
 */

/** On the namespace. */
namespace go corpus.comments // behind it

// before the include
include "base.thrift" /* behind */ /* it */

/**/
/***/
/****/ /*/ not closed yet */
//
#
/// three slashes
//// four

/*
 * Stars, and at the end of the
 *   line **
 */
struct Stars { // behind the brace

  // before a
  1: i32 a, // behind a

  /* apart */

  /** before b */ 2: i32 b /* before the comma */, /* behind the comma */ // and another
  3: /* number */ required /* word */ map< /* key */ i32 /* , */, /* value */ list</* e */string> > /* name */ c /* = */ = /* v */ {} /* end */
  // before d, which has
  # no separator
  4: i32 d

  // before the brace

  /* twice */
} // behind the struct

/* text
without stars
    indented
*/
enum Values {
  /* inside the line */ A /* a */ = /* one */ 1 /* b */ ( /* c */ note /* d */ = /* e */ "x" /* f */ ), // g
  B // no comma
  C
  // leading commas
  , D
  ; E /* last */ }

const list<i32> LIST = [ // behind the bracket
  1, 2, 3, // three
  // own line
  4 /* four */, /* five */ 5
  /* 6 */ 6,

  // behind a blank line
  7
  // before the bracket
] // behind the list

const map<string, i32> MAP = { /* a */ "a" /* : */ : /* 1 */ 1 /* , */, /* b */ "b": 2 /* } */ }
const map<string, list<i32>> NESTED = {
  // one
  "one": [1, // first
    2], // behind one
  // two
  "two": [
    // nothing
  ]
  # end
}
/* directly before */ const i32 SAME_LINE = 1 /* x */ const i32 OTHER = 2

struct Nothing { /* at all */ }
struct Nothing2 {
  // at all
}
struct Nothing3 {} // behind
struct Annotated {
  1: i32 a ( // open
    x = "y", // behind x
    // before z
    z /* z */
    // before the parenthesis
  ), // behind the field
} ( /* a */ b /* c */ )
struct NoAnnotations {} ( /* dropped parentheses */ )

service Functions extends /* whom? */ base.Base { // open
  // before f
  void /* result */ f /* name */ ( /* none */ ) /* throws */, // behind f
  oneway /* one way */ void g(1: i32 a /* a */, /* b */ 2: i32 b, // behind b
    // before c
    3: i32 c
    // before the parenthesis
  ) // behind g
  i32 h( // open
    // before x
    1: i32 x) throws /* t */ ( /* u */ 1: base.Failure e /* e */ ) /* nothing */
  i32 i() throws ( /* dropped */ ) // behind i
  i32 j() throws ( // open
    1: base.Failure e // e
  ) ( /* k */ note )

  /* before the brace */
}

// The last comment,

/* and one more */ // at the end
# of the file
