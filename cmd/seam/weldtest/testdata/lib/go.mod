module example.com/lib

go 1.25.0
