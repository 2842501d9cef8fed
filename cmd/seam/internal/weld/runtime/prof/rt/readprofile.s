// The compiler accepts a function without a body, such as seamReadProfile, only in
// a package that has an assembly file. Package runtime/cgo has some.
