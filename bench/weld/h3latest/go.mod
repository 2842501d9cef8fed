module github.com/seamgo/seam/bench/weld/h3latest

go 1.25.0

require github.com/uber/h3-go/v4 v4.5.0
