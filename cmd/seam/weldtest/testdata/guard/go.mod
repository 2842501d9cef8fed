module example.com/guard

go 1.25.0
