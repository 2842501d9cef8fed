module github.com/cloudwego/kitex

go 1.25.0
