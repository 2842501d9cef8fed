package unwind

import _ "github.com/seamgo/seam/internal/csys" // rebuilds this package when a header changes
