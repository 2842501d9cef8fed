module example.com/park

go 1.25
