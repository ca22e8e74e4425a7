package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/seed-6c0fa0ad/plinth/object"
)

const (
	// lockTimeout is so short that a file in use is told at once.
	lockTimeout = time.Nanosecond

	// mapSize is the address space that is taken at open. As long as the file fits
	// in, growing it never waits for readers.
	mapSize = 1 << 30

	// A file is made smaller at open if it is larger than shrinkSize and less than
	// a quarter of it is in use.
	shrinkSize  = 32 << 20
	shrinkShare = 4

	// copyStep is how many bytes go into one transaction when a file is made smaller.
	copyStep = 8 << 20
)

// ErrLocked says that another process (or another backend of this one) has the file open.
var ErrLocked = errors.New("is in use by another process")

// Open opens the file at the path, or makes it. It fails at once if the file is in
// use (with [ErrLocked]), is not one of this store, or is damaged. A file that is
// mostly free is made smaller first.
func Open(path string) (*Backend, error) {
	db, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	b := newBackend(path, db)
	if err := b.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", path, err), db.Close())
	}
	b.writer.start()
	return b, nil
}

func open(path string) (*bbolt.DB, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = create(path)
	case err == nil && info.IsDir():
		err = errors.New("is a directory")
	case err == nil:
		err = check(path)
	}
	if err != nil {
		return nil, err
	}
	return openBolt(path, false)
}

// openBolt has bbolt open a file that is known to be sound.
func openBolt(path string, readOnly bool) (db *bbolt.DB, err error) {
	defer recovered(&err)
	options := &bbolt.Options{
		Timeout: lockTimeout, ReadOnly: readOnly, NoStatistics: true,
		// The list of free pages is found by the walk through the file at open, which
		// costs less than to write it with every commit.
		NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
	}
	if bits.UintSize == 64 && runtime.GOOS != "windows" {
		options.InitialMmapSize = mapSize
	}
	db, err = bbolt.Open(path, 0o600, options)
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, ErrLocked
	}
	return db, err
}

// recovered turns a panic of bbolt into an error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("is damaged: %v", r)
	}
}

// create makes an empty file. It gets its name when it is complete, so that a
// crash leaves no half of it.
func create(path string) error {
	return replace(path, func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error {
			for _, name := range [][]byte{logBucket, indexBucket, expiryBucket, metaBucket} {
				if _, err := tx.CreateBucket(name); err != nil {
					return err
				}
			}
			return tx.Bucket(metaBucket).Put(formatKey, []byte(format))
		})
	})
}

// replace fills a new file and then gives it the name, durably.
func replace(path string, fill func(*bbolt.DB) error) error {
	next := path + ".new"
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	db, err := openBolt(next, false)
	if err != nil {
		return err
	}
	if err := errors.Join(fill(db), db.Close()); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	if err := os.Rename(next, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a new name in a directory durable, where the system can do that.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// check makes sure, with the file locked, that bbolt can work with it, and shrinks it if it is mostly free.
func check(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := metaOf(f); err != nil {
		return err
	}
	db, err := openBolt(path, true)
	if err != nil {
		return err
	}
	defer db.Close()
	meta, err := metaOf(f)
	if err != nil {
		return err
	}
	used, err := verify(f, meta)
	if err != nil {
		return err
	}
	if err := checkFormat(db); err != nil {
		return err
	}
	if size := meta.pages * uint64(meta.pageSize); size < shrinkSize || used > meta.pages/shrinkShare {
		return nil
	}
	return replace(path, func(smaller *bbolt.DB) error { return bbolt.Compact(smaller, db, copyStep) })
}

func metaOf(f *os.File) (boltMeta, error) {
	info, err := f.Stat()
	if err != nil {
		return boltMeta{}, err
	}
	return readMeta(f, info.Size())
}

func checkFormat(db *bbolt.DB) (err error) {
	defer recovered(&err)
	return db.View(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{logBucket, indexBucket, expiryBucket, metaBucket} {
			if tx.Bucket(name) == nil {
				return errNotOurs
			}
		}
		if found := tx.Bucket(metaBucket).Get(formatKey); string(found) != format {
			return fmt.Errorf("has the format %q, not %q", found, format)
		}
		return nil
	})
}

// load reads where the file stands.
func (b *Backend) load() (err error) {
	defer recovered(&err)
	return b.db.View(func(tx *bbolt.Tx) error {
		version, compacted := object.ResourceVersion(1), object.ResourceVersion(0)
		if v := tx.Bucket(metaBucket).Get(compactedKey); v != nil {
			if compacted, err = parseVersion(v); err != nil {
				return err
			}
		}
		if k, _ := tx.Bucket(logBucket).Cursor().Last(); k != nil {
			if version, err = parseVersion(k); err != nil {
				return err
			}
		}
		// The write of the newest version may itself be compacted, if it deleted.
		b.version.Store(uint64(max(version, compacted)))
		b.compacted.Store(uint64(compacted))
		return nil
	})
}
