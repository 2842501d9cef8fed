module example.com/interrupted

go 1.25.0
