package testdeps

import _ "container/ring" // the main package of a test is the go command's own, and imports this one
