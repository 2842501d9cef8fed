module github.com/seamgo/seam/thrift

go 1.25.0
