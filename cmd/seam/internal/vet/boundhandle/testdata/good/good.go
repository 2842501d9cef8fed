// Package good closes what it opens.
package good

import (
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/vet/boundhandle/testdata/store"
)

type holder struct{ db *store.DB }

func deferred() error {
	db, err := store.Open("a")
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Exec("x")
}

func deferredLiteral() (err error) {
	db, err := store.Open("a")
	if err != nil {
		return err
	}
	defer func() {
		if e := db.Close(); err == nil {
			err = e
		}
	}()
	return db.Exec("x")
}

func handedOver() (*store.DB, error) {
	db, err := store.Open("a")
	if err != nil {
		return nil, err
	}
	if err := db.Exec("x"); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func returned() (*store.DB, error) { return store.Open("a") }

func stored(h *holder) error {
	db, err := store.Open("a")
	if err != nil {
		return err
	}
	h.db = db
	return h.db.Exec("x")
}

func asCloser(each func(io.Closer)) {
	db, err := store.Open("a")
	if err != nil {
		return
	}
	each(db)
}

func methodValue(cleanup func(func() error)) error {
	db, err := store.Open("a")
	if err != nil {
		return err
	}
	cleanup(db.Close)
	return db.Exec("x")
}

func toC() error {
	db, err := store.Open("a")
	if err != nil {
		return err
	}
	store.Give(db)
	return nil
}

func borrowed(db *store.DB) error { return db.Parent().Exec("x") }

func again(names []string) error {
	var db *store.DB
	for _, n := range names {
		var err error
		if db, err = store.Open(n); err != nil {
			return err
		}
		if err = db.Exec("x"); err != nil {
			db.Close()
			return err
		}
		db.Close()
	}
	return nil
}

func reopened(db *store.DB) error {
	db.Close()
	db, err := store.Open("b")
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Exec("x")
}

func closedTwice(db *store.DB) error {
	db.Close()
	return db.Close()
}
