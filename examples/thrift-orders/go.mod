module github.com/seamgo/seam/examples/thrift-orders

go 1.25.0
