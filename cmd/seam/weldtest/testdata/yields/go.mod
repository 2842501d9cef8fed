module example.com/yields

go 1.25.0
