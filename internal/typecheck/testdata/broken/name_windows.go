package broken

func name() int { return 4 }
