package gen

import "testing"

// What the other namings make is what thrift 0.24, thriftgo 0.4.5 and kitex 0.16.3 made of a
// struct with these fields.
func TestNaming(t *testing.T) {
	for _, c := range []struct{ name, goName, apache, thriftgo, kitex string }{
		{"user_id", "UserID", "UserID", "UserID", "UserId"},
		{"userId", "UserID", "UserId", "UserId", "UserId"},
		{"Id", "ID", "ID", "Id", "Id"},
		{"id", "ID", "ID", "ID", "Id"},
		{"MAX_SIZE", "MAX_SIZE", "MAX_SIZE", "MAXSIZE", "MAX_SIZE"},
		{"foo_Bar", "Foo_Bar", "Foo_Bar", "FooBar", "Foo_Bar"},
		{"a__b", "A_B", "A_B", "A_B", "A_B"},
		{"field_1", "Field_1", "Field_1", "Field1", "Field_1"},
		{"trailing_", "Trailing_", "Trailing_", "Trailing_", "Trailing_"},
		{"NewThing", "NewThing", "NewThing_", "NewThing", "NewThing_"},
		{"search_result", "SearchResult", "SearchResult_", "SearchResult", "SearchResult_"},
		{"call_args", "CallArgs", "CallArgs_", "CallArgs", "CallArgs_"},
		{"http_url", "HTTPURL", "HTTPURL", "HTTPURL", "HttpUrl"},
		{"HTTPStatus", "HTTPStatus", "HTTPStatus", "HTTPStatus", "HTTPStatus"},
		{"NewXArgs", "NewXArgs", "NewXArgs__", "NewXArgs", "NewXArgs_"},
		{"new_result", "NewResult", "NewResult__", "NewResult", "NewResult_"},
		{"the_Url", "The_URL", "The_Url", "TheUrl", "The_Url"},
	} {
		for naming, want := range map[Naming]string{NamingGo: c.goName, NamingApache: c.apache, NamingThriftgo: c.thriftgo, NamingKitex: c.kitex} {
			if got := naming.exported(c.name); got != want {
				t.Errorf("%s: %s becomes %s, want %s", naming, c.name, got, want)
			}
		}
	}
}

func TestNamingIsGivenOrFollows(t *testing.T) {
	for _, c := range []struct {
		opt  Options
		want Naming
	}{
		{Options{}, NamingGo}, {Options{Kitex: true}, NamingKitex}, {Options{Apache: true}, NamingApache},
		{Options{Kitex: true, Naming: NamingThriftgo}, NamingThriftgo},
	} {
		if got, err := c.opt.naming(); got != c.want || err != nil {
			t.Errorf("%+v: %s, %v", c.opt, got, err)
		}
	}
	if _, err := (&Options{Naming: "java"}).naming(); err == nil {
		t.Error("java is no naming")
	}
}
