module example.com/coro

go 1.25.0
