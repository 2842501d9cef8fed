module example.com/traced

go 1.25
