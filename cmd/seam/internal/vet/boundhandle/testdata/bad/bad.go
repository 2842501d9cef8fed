// Package bad loses handles, and uses closed ones.
package bad

import "github.com/seamgo/seam/cmd/seam/internal/vet/boundhandle/testdata/store"

func lost() {
	store.Open("a")           // want error "the store.DB that Open returns is lost"
	_, err := store.Open("b") // want error "the store.DB that Open returns is lost"
	_ = err
}

func never() error {
	db, err := store.Open("a") // want error "the store.DB is never closed, and stays in this function"
	if err != nil {
		return err
	}
	return db.Exec("x")
}

func failing() (*store.DB, error) {
	db, err := store.Open("a") // want warning "closed or handed over on some paths only: not on the way to line 26"
	if err != nil {
		return nil, err
	}
	if err := db.Exec("x"); err != nil {
		return nil, err
	}
	return db, nil
}

// The error is another one by then.
func sameVariable() error {
	db, err := store.Open("a") // want warning "not on the way to line 39"
	if err != nil {
		return err
	}
	err = db.Exec("x")
	if err != nil {
		return err
	}
	return db.Close()
}

func copied() error {
	db, err := store.Open("a")
	if err != nil {
		return err
	}
	defer db.Close()
	other, err := store.Open("b") // want error "never closed"
	if err != nil {
		return err
	}
	return store.Copy(db, other)
}

func after(db *store.DB) error {
	db.Close()
	return db.Exec("x") // want error "Exec is called with the store.DB that is closed in line 58: it panics"
}

func afterOnOneWay(db *store.DB, end bool) error {
	if end {
		if err := db.Close(); err != nil {
			return err
		}
	}
	return store.Copy(db, nil) // want error "Copy is called with the store.DB that is closed in line 64"
}
