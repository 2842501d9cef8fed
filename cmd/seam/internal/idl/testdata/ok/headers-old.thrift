# The names of namespaces before 0.2; they are accepted with a warning.
cpp_namespace corpus.old
csharp_namespace Corpus.Old
cocoa_prefix Corpus
delphi_namespace Corpus.Old
java_package org.corpus.old
perl_package Corpus.Old
php_namespace Corpus
py_module corpus.old
ruby_namespace Corpus.Old
smalltalk_category Corpus.Old
smalltalk_prefix Corpus
xsd_namespace "http://example.com/corpus"

struct cpp_namespace {
  1: i32 py_module,
}

service Old {
  async void send(1: i32 n),
}
