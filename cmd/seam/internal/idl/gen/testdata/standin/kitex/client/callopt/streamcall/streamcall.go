// Package streamcall declares what generated code needs of the package of this name.
package streamcall

import "github.com/cloudwego/kitex/client/callopt"

type Option struct{ F func() }

func GetCallOptions(opts []Option) []callopt.Option { return nil }
