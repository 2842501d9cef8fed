package gen

import (
	"fmt"
	"strings"
)

// A Naming is a way to make Go names of Thrift names: whose generated code they are like.
type Naming string

// The namings.
const (
	NamingGo       Naming = "go"       // user_id is UserID, userId UserID, MAX_SIZE stays
	NamingApache   Naming = "apache"   // user_id is UserID, userId UserId
	NamingThriftgo Naming = "thriftgo" // thriftgo -g go: user_id is UserID, userId UserId, MAX_SIZE MAXSIZE
	NamingKitex    Naming = "kitex"    // as kitex runs thriftgo: user_id is UserId
)

// Namings are all of them.
var Namings = []Naming{NamingGo, NamingApache, NamingThriftgo, NamingKitex}

// naming is the one that the options ask for, or that of what the code is for.
func (o *Options) naming() (Naming, error) {
	switch o.Naming {
	case NamingGo, NamingApache, NamingThriftgo, NamingKitex:
		return o.Naming, nil
	case "":
	default:
		return "", fmt.Errorf("unknown naming %q: choose one of %v", o.Naming, Namings)
	}
	switch {
	case o.Kitex:
		return NamingKitex, nil
	case o.Apache:
		return NamingApache, nil
	}
	return NamingGo, nil
}

// exported turns a Thrift name into an exported Go name.
func (n Naming) exported(name string) string {
	made := n.joined(name)
	if n != NamingApache && n != NamingKitex {
		return made
	}
	// A constructor begins so, and what is made for a service ends so. Apache's compiler
	// keeps away from each by an underscore, Kitex's from both by one.
	begins := strings.HasPrefix(made, "New")
	ends := strings.HasSuffix(made, "Args") || strings.HasSuffix(made, "Result")
	if begins && ends && n == NamingApache {
		made += "_"
	}
	if begins || ends {
		made += "_"
	}
	return made
}

// joined is exported for a part of a name.
func (n Naming) joined(name string) string {
	if n == NamingGo {
		return exported(name)
	}
	words := strings.Split(identifier(name), "_")
	for i, word := range words {
		switch {
		case word == "":
			words[i] = "_"
		case lower(word[0]) || i == 0 && n == NamingApache:
			words[i] = n.word(word)
		case i > 0 && n != NamingThriftgo:
			words[i] = "_" + word
		}
	}
	made := strings.Join(words, "")
	if !upper(made[0]) {
		made = "X" + made
	}
	return made
}

// word is one word of a name: all in capitals if it is an initialism.
func (n Naming) word(word string) string {
	if all := strings.ToUpper(word); initialisms[all] && n != NamingKitex {
		return all
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// setters reports whether fields have methods SetX and IsSetX, whose names no other field
// may have then.
func (n Naming) setters() bool { return n == NamingKitex || n == NamingThriftgo }
