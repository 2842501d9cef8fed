// Functions of every mode, beside others, in services that extend each other.
namespace * feed

include "base.thrift"

typedef base.Line Row

exception Closed { 1: string why }

service Middle extends base.Base {}

service Feed extends Middle {
  /** Join makes one line of many. */
  base.Line join(1: Row line) throws (1: Closed closed) (streaming.mode = "client")
  Row split(1: base.Line out) (streaming.mode = "server")
  Row one(1: Row row) (streaming.mode = "unary")
  void base_streams()
}

struct FeedStreams {}
