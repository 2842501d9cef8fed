module example.com/waits

go 1.25.0
