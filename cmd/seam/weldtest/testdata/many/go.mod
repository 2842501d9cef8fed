module example.com/many

go 1.25.0
