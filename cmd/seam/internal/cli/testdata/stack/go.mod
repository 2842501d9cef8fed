module example.com/stacked

go 1.25.0
