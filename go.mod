module github.com/seamgo/seam

go 1.25.0
