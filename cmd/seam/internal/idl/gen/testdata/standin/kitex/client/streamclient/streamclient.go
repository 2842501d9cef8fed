// Package streamclient declares what generated code needs of the package of this name.
package streamclient

import "github.com/cloudwego/kitex/client"

type Option struct{ F func() }

func GetClientOptions(opts []Option) []client.Option { return nil }
