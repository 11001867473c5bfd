//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mem

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
)

// Shared memory consists of files in a folder that only its user can access. A SharedID is a
// small file there: each process with a region under it holds a shared lock on the file. The
// kernel releases the locks of a process that dies.

// sysSharedFolder makes the folder and gives its path.
func sysSharedFolder() (string, error) {
	base := os.TempDir()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		base = "/dev/shm"
	}
	dir := filepath.Join(base, "godapl-"+strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return "", sharedError(err, dir)
	}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return "", sharedError(err, dir)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Getuid() || st.Mode&0o077 != 0 {
		return "", hca.NewError(hca.State, "share memory", dir, "the folder must be this user's alone: make its owner this user and its mode 0700, or remove it")
	}
	return dir, nil
}

func sharedError(err error, object string) error {
	return &hca.Error{Op: "share memory", Object: object, Code: hca.Resources, Err: err, Detail: "the system refuses; is there room, and is the folder writable?"}
}

// sysLocked opens a file of the folder and does f under an exclusive lock on the
// folder.
func sysLocked(f func(dir string) error) error {
	dir, err := sysSharedFolder()
	if err != nil {
		return err
	}
	lock, err := sysOpen(filepath.Join(dir, ".lock"))
	if err != nil {
		return err
	}
	defer unix.Close(lock)
	if err := sysFlock(lock, unix.LOCK_EX); err != nil {
		return sharedError(err, dir)
	}
	return f(dir)
}

func sysOpen(path string) (int, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
		if err == nil {
			return fd, nil
		}
		if err != unix.EINTR {
			return -1, sharedError(err, path)
		}
	}
}

func sysFlock(fd, how int) error {
	for {
		if err := unix.Flock(fd, how); err != unix.EINTR {
			return err
		}
	}
}

// sysOpenShared maps n bytes, whole pages, of the file of that name.
func sysOpenShared(name string, n int) (b []byte, device, inode uint64, err error) {
	err = sysLocked(func(dir string) error {
		fd, err := sysOpen(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return sharedError(err, name)
		}
		if st.Size == 0 {
			if err := unix.Ftruncate(fd, int64(n)); err != nil {
				return sharedError(err, name)
			}
		} else if st.Size < int64(n) {
			return hca.NewError(hca.Invalid, "open shared memory", strconv.Quote(name), fmt.Sprintf("it has %d bytes, %d are wanted", st.Size, n))
		}
		p, err := unix.MmapPtr(fd, 0, nil, uintptr(n), protection, unix.MAP_SHARED)
		if err != nil {
			if st.Size == 0 {
				_ = unix.Ftruncate(fd, 0) // nothing was created: another size may be possible
			}
			return sharedError(err, name)
		}
		b, device, inode = unsafe.Slice((*byte)(p), n), uint64(st.Dev), uint64(st.Ino)
		return nil
	})
	return b, device, inode, err
}

func sysRemoveShared(name string) error {
	return sysLocked(func(dir string) error {
		if err := unix.Unlink(filepath.Join(dir, name)); err != nil && err != unix.ENOENT {
			return sharedError(err, name)
		}
		return nil
	})
}

// sysJoin registers this process for id, or fails if id stands for other memory. leave undoes
// it.
func sysJoin(id SharedID, who identity) (leave func(), err error) {
	name := ".id-" + hex.EncodeToString(id[:])
	fd := -1
	err = sysLocked(func(dir string) error {
		path := filepath.Join(dir, name)
		if fd, err = sysOpen(path); err != nil {
			return err
		}
		if err := sysClaim(fd, id, who); err != nil {
			unix.Close(fd)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return func() {
		sysLocked(func(dir string) error {
			if sysFlock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
				unix.Unlink(filepath.Join(dir, name)) // nobody else has it
			}
			return nil
		})
		unix.Close(fd) // with its lock, also if the folder could not be locked
	}, nil
}

// sysClaim writes who into the file if no living process has it, else compares. It
// leaves a shared lock on the file.
func sysClaim(fd int, id SharedID, who identity) error {
	text := fmt.Appendf(nil, "%d %d %d %d\n", who.device, who.inode, who.offset, who.length)
	if err := sysFlock(fd, unix.LOCK_EX|unix.LOCK_NB); err == nil {
		// This process is the first, or the former processes have died.
		if err := unix.Ftruncate(fd, 0); err != nil {
			return sharedError(err, "id")
		}
		if _, err := unix.Pwrite(fd, text, 0); err != nil {
			return sharedError(err, "id")
		}
	}
	if err := sysFlock(fd, unix.LOCK_SH); err != nil {
		return sharedError(err, "id")
	}
	was := make([]byte, len(text)+1)
	n, err := unix.Pread(fd, was, 0)
	if err != nil {
		return sharedError(err, "id")
	}
	if string(was[:n]) != string(text) {
		return otherMemory(id)
	}
	return nil
}
