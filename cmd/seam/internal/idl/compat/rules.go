package compat

import "slices"

// A Rule is one kind of change, or of definition, that is reported.
type Rule struct {
	Name     string
	Severity Severity // what it breaks if nothing is configured
	Title    string   // what it finds
	Lint     bool     // it looks at one version alone
}

// The rules that compare two versions. What is Wire is a difference in what arrives, in one of
// the protocols in use, or in which program it arrives at; TestEvolution holds those that aren't
// against generated code.
var (
	idChanged     = &Rule{"id-changed", Wire, "a field has another id", false}
	idReused      = &Rule{"id-reused", Wire, "an id belongs to another field", false}
	idReserved    = &Rule{"id-reserved", Wire, "a new field or value has an id or a name that the old version reserves", false}
	idBetween     = &Rule{"id-between", Wire, "a new field has an id below the highest in use, which may have belonged to another", false}
	typeWire      = &Rule{"type-wire", Wire, "a type can't be read as the one that it was", false}
	typeJSON      = &Rule{"type-json", Wire, "string becomes binary or the other way round, which the JSON protocol writes in base64", false}
	typeNames     = &Rule{"type-names", Wire, "where names are data: JSON has values of a type in another way", false}
	requiredNew   = &Rule{"required-new", Wire, "a field is required that was not", false}
	requiredGone  = &Rule{"required-gone", Wire, "a field is no longer required, or gone", false}
	defaultAbsent = &Rule{"default-absent", Wire, "the default differs of a field that writers may leave out", false}
	kindUnion     = &Rule{"kind-union", Wire, "a union becomes a struct or an exception, or the other way round", false}
	memberGone    = &Rule{"union-member-gone", Wire, "a field of a union is gone", false}
	throwGone     = &Rule{"throw-gone", Wire, "a function no longer throws an exception", false}
	throwType     = &Rule{"throw-type", Wire, "an exception has the id of another one", false}
	throwVoid     = &Rule{"throw-void", Wire, "a function without a result throws an exception that is new", false}
	enumNumber    = &Rule{"enum-number", Wire, "a value of an enum has another number", false}
	enumGone      = &Rule{"enum-value-gone", Wire, "a number of an enum has no name any more", false}
	functionGone  = &Rule{"function-gone", Wire, "a function is gone", false}
	functionWay   = &Rule{"function-oneway", Wire, "a function becomes oneway or is so no longer", false}
	streaming     = &Rule{"function-streaming", Wire, "a function streams in another way", false}
	shard         = &Rule{"function-shard", Wire, "calls of a function are distributed by another argument", false}
	idempotent    = &Rule{"function-idempotent", Wire, "calls of a function may no longer be carried out twice", false}
	serviceGone   = &Rule{"service-gone", Wire, "a service is gone", false}
	extendsWire   = &Rule{"extends-wire", Wire, "a service no longer has inherited functions", false}
	validation    = &Rule{"validation", Wire, "Validate may refuse what the old version accepts", false}
	httpBinding   = &Rule{"http-binding", Wire, "an annotation api.* binds to HTTP in another way", false}

	fieldRenamed = &Rule{"field-renamed", Source, "a field has another name", false}
	fieldGone    = &Rule{"field-gone", Source, "a field or an argument is gone", false}
	argumentNew  = &Rule{"argument-new", Source, "a function has another argument", false}
	argumentMove = &Rule{"argument-order", Source, "arguments are in another order", false}
	typeGo       = &Rule{"type-go", Source, "a type looks the same on the wire and differs in Go", false}
	optionalGo   = &Rule{"optional-go", Source, "a field becomes a pointer or is no longer one", false}
	kindGo       = &Rule{"kind-go", Source, "a struct becomes an exception, or the other way round", false}
	enumRenamed  = &Rule{"enum-value-renamed", Source, "a value of an enum has another name", false}
	gone         = &Rule{"definition-gone", Source, "a definition is gone", false}
	moved        = &Rule{"definition-moved", Source, "a definition is in another package", false}
	kindOther    = &Rule{"definition-kind", Source, "a name stands for something else", false}
	constantType = &Rule{"constant-type", Source, "a constant has another type", false}
	extendsGo    = &Rule{"extends-go", Source, "a service extends another one", false}
	namespace    = &Rule{"namespace", Source, "a namespace differs", false}
	goTag        = &Rule{"go-tag", Source, "a tag of a Go field differs, by which JSON and others name it", false}
	goAnnotation = &Rule{"go-annotation", Source, "an annotation that shapes the Go code differs", false}

	fieldNew       = &Rule{"field-new", Note, "a field is new", false}
	memberNew      = &Rule{"union-member-new", Note, "a field of a union is new", false}
	throwNew       = &Rule{"throw-new", Note, "a function throws an exception that is new", false}
	parameterName  = &Rule{"parameter-renamed", Note, "an argument or an exception of a function has another name", false}
	defaultWritten = &Rule{"default-written", Note, "the default differs of a field that is always written", false}
	optionalWord   = &Rule{"optional", Note, "a field is optional or no longer so, and its Go type is the same", false}
	typeSpelling   = &Rule{"type-spelling", Note, "a type is written in another way", false}
	enumNew        = &Rule{"enum-value-new", Note, "a value of an enum is new", false}
	constantValue  = &Rule{"constant-value", Note, "a constant has another value", false}
	functionNew    = &Rule{"function-new", Note, "a function is new", false}
	inherited      = &Rule{"function-inherited", Note, "a function is inherited that the service had itself", false}
	extendsNew     = &Rule{"extends-new", Note, "a service extends one and extended none", false}
	definitionNew  = &Rule{"definition-new", Note, "a definition is new", false}
	movedWithin    = &Rule{"definition-moved-within", Note, "a definition is in another file of its package", false}
	unreserved     = &Rule{"unreserved", Note, "an id or a name is no longer reserved", false}
	annotation     = &Rule{"annotation", Note, "an annotation differs that Seam gives no meaning", false}
)

// Rules are all rules, in the order in which they are listed.
var Rules = slices.Concat([]*Rule{
	idChanged, idReused, idReserved, idBetween, typeWire, typeJSON, typeNames, requiredNew, requiredGone, defaultAbsent, kindUnion, memberGone,
	throwGone, throwType, throwVoid, enumNumber, enumGone, functionGone, functionWay, streaming, shard, idempotent, serviceGone, extendsWire, validation, httpBinding,
	fieldRenamed, fieldGone, argumentNew, argumentMove, typeGo, optionalGo, kindGo, enumRenamed, gone, moved, kindOther, constantType, extendsGo, namespace, goTag, goAnnotation,
	fieldNew, memberNew, throwNew, parameterName, defaultWritten, optionalWord, typeSpelling, enumNew, constantValue, functionNew, inherited, extendsNew, definitionNew, movedWithin, unreserved, annotation,
}, lintRules)

// byNames are the rules about names that JSON by names has in its data.
var byNames = []*Rule{fieldRenamed, enumRenamed, enumNew, parameterName, goTag}
