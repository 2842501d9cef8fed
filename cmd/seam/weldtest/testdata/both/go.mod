module example.com/both

go 1.25.0

require github.com/seamgo/seam v0.0.0
