module example.com/checks

go 1.17
