module example.com/bounds

go 1.25
