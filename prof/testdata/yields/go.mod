module a.example/yields

go 1.25.0

require github.com/seamgo/seam v0.0.0

replace github.com/seamgo/seam => ../../..
