const string A = "no end
const string B = 'no end
const string C = "mixed'
const string D = "bad \q escape \x41"
const string E = “smart”
const string F = "fine"
const string G = "ends with a backslash \
const string H = "ends with a backslash \"
