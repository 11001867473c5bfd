package shm

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// seals are set on every file: no process can shorten it under a mapping or change the
// seals.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

func sysCreate(name string, size int64, huge int) (int, error) {
	const op = "create shared memory"
	// Beyond this limit the kernel sends a signal that ends the process.
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err == nil && uint64(size) > limit.Cur {
		return -1, fail(op, ErrResources, fmt.Sprintf("%d bytes are more than the limit of a file's size (ulimit -f)", size), unix.EFBIG)
	}
	fd, err := memfd(name, huge)
	if err != nil {
		return -1, err
	}
	if err := retry(func() error { return unix.Ftruncate(fd, size) }); err != nil {
		CloseFD(fd)
		return -1, fail(op, ErrResources, fmt.Sprintf("%d bytes", size), os.NewSyscallError("ftruncate", err))
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		CloseFD(fd)
		return -1, fail(op, ErrUnsupported, "the system does not seal memory", os.NewSyscallError("fcntl(F_ADD_SEALS)", err))
	}
	return fd, nil
}

// memfd makes an empty file whose descriptor is not 0, since 0 means "none" elsewhere.
func memfd(name string, huge int) (int, error) {
	const op = "create shared memory"
	flags := unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	if huge > 0 {
		flags |= unix.MFD_HUGETLB | (bits.Len(uint(huge))-1)<<unix.MAP_HUGE_SHIFT
	}
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL { // a kernel before 6.3
		fd, err = unix.MemfdCreate(name, flags)
	}
	why := os.NewSyscallError("memfd_create", err)
	switch err {
	case nil:
	case unix.EMFILE, unix.ENFILE:
		return -1, fail(op, ErrResources, "no descriptor is left (ulimit -n)", why)
	case unix.ENOMEM:
		return -1, fail(op, ErrResources, "", why)
	case unix.ENODEV, unix.ENOENT:
		return -1, fail(op, ErrUnsupported, fmt.Sprintf("no huge pages of %d KiB here", huge>>10), why)
	case unix.EPERM, unix.EACCES:
		return -1, fail(op, ErrDenied, "does a seccomp profile or another rule of the system forbid it?", why)
	default:
		return -1, fail(op, ErrUnsupported, "", why)
	}
	if fd > 0 {
		return fd, nil
	}
	other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 1)
	CloseFD(fd)
	if err != nil {
		return -1, fail(op, ErrResources, "no descriptor is left (ulimit -n)", err)
	}
	return other, nil
}

func sysVerify(fd int) (size int64, page int, err error) {
	const op = "open shared memory"
	have, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil {
		return 0, 0, fail(op, ErrUnfit, "not a file of memory", err)
	}
	if have&seals != seals {
		return 0, 0, fail(op, ErrUnfit, fmt.Sprintf("not sealed: %#x instead of %#x", have, seals), nil)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, 0, fail(op, ErrUnfit, "", err)
	}
	var fs unix.Statfs_t
	if err := retry(func() error { return unix.Fstatfs(fd, &fs) }); err != nil {
		return 0, 0, fail(op, ErrUnfit, "", err)
	}
	page = os.Getpagesize()
	if uint32(fs.Type) == unix.HUGETLBFS_MAGIC {
		page = int(fs.Bsize)
	}
	if st.Size <= 0 || st.Size > math.MaxInt || page <= 0 || st.Size%int64(page) != 0 {
		return 0, 0, fail(op, ErrUnfit, fmt.Sprintf("%d bytes in pages of %d", st.Size, page), nil)
	}
	return st.Size, page, nil
}

func sysMmap(fd int, off int64, n int, a Access) ([]byte, error) {
	prot := unix.PROT_READ
	if a == ReadWrite {
		prot |= unix.PROT_WRITE
	}
	p, err := unix.MmapPtr(fd, off, nil, uintptr(n), prot, unix.MAP_SHARED)
	if err != nil {
		return nil, mmapError("map shared memory", n, err)
	}
	return unsafe.Slice((*byte)(p), n), nil
}

func mmapError(op string, n int, err error) error {
	switch err {
	case unix.ENOMEM, unix.EAGAIN:
		if full := Full(); full != nil {
			return full
		}
		return fail(op, ErrResources, fmt.Sprintf("%d bytes; is there a limit of memory (ulimit -v, -l), of huge pages?", n), err)
	case unix.EACCES, unix.EPERM:
		return fail(op, ErrUnfit, "the descriptor does not permit it", err)
	}
	return fail(op, ErrUnfit, fmt.Sprintf("%d bytes", n), err)
}

func sysMunmap(b []byte) error {
	if err := unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b))); err != nil {
		return fail("unmap", ErrResources, "", err)
	}
	return nil
}

func sysPunch(fd int, off, n int64) error {
	err := retry(func() error {
		return unix.Fallocate(fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
	})
	if err != nil {
		return fail("punch", ErrResources, "", err)
	}
	return nil
}

// CloseFD closes a descriptor that the caller owns.
func CloseFD(fd int) { _ = unix.Close(fd) }

func retry(f func() error) error {
	for {
		if err := f(); err != unix.EINTR {
			return err
		}
	}
}
