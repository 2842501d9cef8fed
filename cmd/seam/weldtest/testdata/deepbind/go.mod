module example.com/deepbind

go 1.25.0
