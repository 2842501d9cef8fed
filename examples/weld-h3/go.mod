module github.com/seamgo/seam/examples/weld-h3

go 1.25.0

require github.com/uber/h3-go/v4 v4.1.0 // as in ../../bench: a workspace has one version
