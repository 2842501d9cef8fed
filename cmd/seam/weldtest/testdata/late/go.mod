module example.com/late

go 1.25.0
