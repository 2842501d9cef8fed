package reference

import "github.com/seamgo/seam/cmd/seam/internal/lab/result"

// The sources. Their numbers stand in JSON files and are never given away again.
var (
	CgoCost = &result.Source{
		Number: 1, Title: "“CGO 和 CGO 性能之谜”", Year: "2020",
		Go: "Go 1.14", Machine: "2019 MacBook Pro, i7 2.6 GHz",
	}
	Coroutines = &result.Source{
		Number: 2, Title: "“聊聊协程”", Year: "2019",
	}
	ErrorPaths = &result.Source{
		Number: 3, Author: "a ByteDance engineer", Year: "2020",
		Title: "an account of generated Thrift code and L1 instruction cache misses",
	}
	StackBuffers = &result.Source{
		Number: 4, Title: "“Буфера на стеке горутины”", Year: "2020",
		URL: "https://habr.com/ru/post/490618", Go: "Go 1.13.8",
	}
	MixedCalls = &result.Source{
		Number: 5, Title: "“CGO性能损耗高达47%?深度压测报告+3层零拷贝优化方案”", Year: "2024 or later",
		Go: "Go 1.22",
	}
)
