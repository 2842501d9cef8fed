module example.com/cxxwaits

go 1.25.0
