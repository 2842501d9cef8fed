namespace * corpus.headers
namespace go corpus.headers
namespace c_glib Corpus
namespace cl corpus
namespace cpp corpus.headers (cpp.note = "a", plain)
namespace d corpus.headers
namespace dart corpus
namespace delphi Corpus.Headers
namespace erl corpus
namespace haxe corpus.headers
namespace java org.corpus.headers
namespace js Corpus.Headers
namespace json Headers
namespace kotlin org.corpus.headers
namespace lua corpus
namespace netstd Corpus.Headers (async_postfix = "Async")
namespace nodejs Corpus
namespace noexist CorpusHeaders
namespace ocaml Corpus
namespace perl Corpus.Headers
namespace php Corpus.Headers
namespace py corpus.headers
namespace py.twisted corpus.twisted
namespace rb Corpus.Headers
namespace rs corpus
namespace smalltalk.prefix Corpus
namespace smalltalk.category Corpus.Headers
namespace st Corpus
namespace swift corpus
namespace xml corpus
namespace xsd corpus

include "base.thrift"
include 'inner/nested.thrift'
cpp_include "<unordered_map>"
cpp_include "corpus/own.h"

struct Uses {
  1: base.Point point,
  2: nested.Nested nested,
  3: base.Color color = base.Color.GREEN,
  4: i32 limit = base.LIMIT,
}
