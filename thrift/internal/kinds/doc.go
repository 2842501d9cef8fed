package kinds

//go:generate go run ../../../cmd/seam gen -o .. --negative-ids --descriptors kinds.thrift
//go:generate go run ../../../cmd/seam gen -o . small.thrift
//go:generate go run ../../../cmd/seam gen -o inline --error-layout=inline small.thrift
//go:generate go run ../../../cmd/seam gen -o goto --error-layout=goto small.thrift
//go:generate go run ../../../cmd/seam gen -o outlined --error-layout=outlined small.thrift
//go:generate go run ../../../cmd/seam gen -o unknown --unknown small.thrift
//go:generate go run ../../../cmd/seam gen -o . --setters --sql --validate --validate-func "luhn(string) bool=github.com/seamgo/seam/thrift/internal/kinds/ruled.Luhn" --validate-func "share(int64, float64) float64=github.com/seamgo/seam/thrift/internal/kinds/ruled.Share" validated.thrift
//go:generate go run ../../../cmd/seam gen -o views --views --utf8 small.thrift
//go:generate go run ../../../cmd/seam gen -o . --field-mask masked.thrift
