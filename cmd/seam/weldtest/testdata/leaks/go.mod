module example.com/leaks

go 1.25.0
