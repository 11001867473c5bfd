package capture

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// Config describes a capture.
type Config struct {
	// Path is where it goes. The names of files are made of it: see name.
	Path string
	// FileSize is how many bytes a file has at most, at least MinFileSize. 0:
	// DefaultFileSize.
	FileSize int64
	// Files is the number of files to keep, at least one. 0: DefaultFiles.
	Files int
	// Interface is the name of the interface that readers of the capture see.
	Interface string
	// Failed is told, once, if the capture ends early, by a goroutine that Close
	// waits for.
	Failed func(error)

	create func(name string) (io.WriteCloser, error) // replaces os.Create in tests
}

const (
	DefaultFileSize = 64 << 20
	DefaultFiles    = 4
	// MinFileSize has room for the largest packet and everything that may have to
	// be repeated in front of it.
	MinFileSize = 1 << 20
)

// complete checks a configuration and fills in what is missing.
func (c Config) complete() (Config, error) {
	if c.FileSize == 0 {
		c.FileSize = DefaultFileSize
	}
	if c.Files == 0 {
		c.Files = DefaultFiles
	}
	if c.create == nil {
		c.create = create
	}
	base := filepath.Base(c.Path)
	switch {
	case c.Path == "" || os.IsPathSeparator(c.Path[len(c.Path)-1]) || base == "." || base == "..":
		return c, fmt.Errorf("%q names no file", c.Path)
	case c.FileSize < MinFileSize:
		return c, fmt.Errorf("files of %d bytes are too small: at least %d", c.FileSize, MinFileSize)
	case c.Files < 0:
		return c, fmt.Errorf("%d files cannot be kept", c.Files)
	}
	return c, nil
}

// captures numbers those of this process.
var captures atomic.Int64

// naming makes the names of one capture's files. From "dir/x.pcapng" it makes
// "dir/x-PID-CAPTURE_FILE_TIME.pcapng": names of captures never collide, and Wireshark
// recognizes the files of one capture as a set.
type naming struct{ stem, ext string }

func (c *Config) naming(pid int, number int64) naming {
	ext := filepath.Ext(c.Path)
	stem := strings.TrimSuffix(c.Path, ext)
	if ext == "" {
		ext = ".pcapng"
	}
	return naming{fmt.Sprintf("%s-%d-%d", stem, pid, number), ext}
}

func (n naming) file(number int, at time.Time) string {
	return fmt.Sprintf("%s_%05d_%s%s", n.stem, number, at.Format("20060102150405"), n.ext)
}

// create makes a file that only this user can read. It fails if the name exists, even
// as a link.
func create(name string) (io.WriteCloser, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// createFirst creates the first file, and settles how the others are called. In
// a folder that several machines or containers share, numbers of processes are
// not unique.
func (c *Config) createFirst(now time.Time) (naming, io.WriteCloser, error) {
	for tries := 0; ; tries++ {
		n := c.naming(os.Getpid(), captures.Add(1))
		file, err := c.create(n.file(1, now))
		if err == nil || tries == 100 || !errors.Is(err, os.ErrExist) {
			return n, file, err
		}
	}
}
