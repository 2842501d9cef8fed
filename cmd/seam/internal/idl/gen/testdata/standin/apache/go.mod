module github.com/apache/thrift

go 1.25.0
