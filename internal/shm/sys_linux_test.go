package shm_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/shm"
)

// held counts what a process can leave open.
type held struct{ descriptors, mappings int }

func holdings(t testing.TB) held {
	t.Helper()
	// The first file that is read opens Go's poller, with two descriptors that stay:
	// count after it.
	maps := made(os.ReadFile("/proc/self/maps"))(t)
	fds := made(os.ReadDir("/proc/self/fd"))(t)
	return held{len(fds), strings.Count(string(maps), "/memfd:")}
}

func dupFD(t testing.TB, fd int) int {
	t.Helper()
	return made(unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0))(t)
}

// truncated returns n bytes of mapped memory whose file has only the first part.
func truncated(t *testing.T, n, left int) []byte {
	fd := made(unix.MemfdCreate("test", unix.MFD_CLOEXEC))(t)
	defer unix.Close(fd)
	must(t, unix.Ftruncate(fd, int64(n)))
	b := made(unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED))(t)
	t.Cleanup(func() { unix.Munmap(b) })
	must(t, unix.Ftruncate(fd, int64(left)))
	return b
}

// TestDrainDoesNotBlock although a peer has made the event blocking, which it shares.
func TestDrainDoesNotBlock(t *testing.T) {
	fd := made(shm.NewEvent())(t)
	defer unix.Close(fd)
	if _, err := unix.Preadv2(fd, [][]byte{make([]byte, 8)}, -1, unix.RWF_NOWAIT); err != unix.EAGAIN {
		t.Skip("this kernel has no reads of an event that never wait: ", err)
	}
	theirs := dupFD(t, fd)
	defer unix.Close(theirs)
	must(t, unix.SetNonblock(theirs, false))
	if shm.Drain(fd) {
		t.Error("nothing was signalled")
	}
	must(t, shm.Signal(fd))
	if !shm.Drain(fd) || shm.Drain(fd) {
		t.Error("one signal was not drained once")
	}
}

// TestLastByteIsAlone: when a copy cannot store its last byte, all other bytes are
// stored.
func TestLastByteIsAlone(t *testing.T) {
	b := made(unix.Mmap(-1, 0, shm.PieceSize+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE))(t)
	defer unix.Munmap(b)
	must(t, unix.Mprotect(b[shm.PieceSize:], unix.PROT_NONE))
	src := bytes.Repeat([]byte{7}, shm.PieceSize)
	for name, f := range map[string]func(dst, src []byte) int{"CopyLast": shm.CopyLast, "MoveLast": shm.MoveLast} {
		for _, n := range lengths() {
			if n == 0 || n > shm.PieceSize {
				continue
			}
			dst := b[shm.PieceSize-n+1 : shm.PieceSize+1]
			clear(b[:shm.PieceSize])
			if !faults(func() { f(dst, src[:n]) }) {
				t.Fatalf("%s, %d bytes: no fault, so nothing was tested", name, n)
			}
			if !bytes.Equal(dst[:n-1], src[:n-1]) {
				t.Errorf("%s, %d bytes: the last one was to be stored before others", name, n)
			}
		}
	}
}

func faults(f func()) (yes bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestOpenFileRefuses files that could be shortened, and other descriptors.
func TestOpenFileRefuses(t *testing.T) {
	before := holdings(t)
	memfd := func(size int64, seals int) int {
		fd := made(unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING))(t)
		must(t, unix.Ftruncate(fd, size))
		made(unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals))(t)
		return fd
	}
	const all = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	file := func() int { return made(unix.Open(t.TempDir(), unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600))(t) }
	pipe := func() int {
		var p [2]int
		must(t, unix.Pipe2(p[:], unix.O_CLOEXEC))
		unix.Close(p[1])
		return p[0]
	}
	for name, fd := range map[string]int{
		"no seals":          memfd(int64(page), 0),
		"may shrink":        memfd(int64(page), all&^unix.F_SEAL_SHRINK),
		"may grow":          memfd(int64(page), all&^unix.F_SEAL_GROW),
		"seals may come":    memfd(int64(page), all&^unix.F_SEAL_SEAL),
		"empty":             memfd(0, all),
		"half a page":       memfd(int64(page)/2, all),
		"a file":            file(),
		"a pipe":            pipe(),
		"a closed one":      -1,
		"not a descriptor ": 1 << 20,
	} {
		_, err := shm.OpenFile(fd)
		wants(t, name, err, shm.ErrUnfit)
		if fd > 0 && fd < 1<<20 {
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); !errors.Is(err, unix.EBADF) {
				t.Errorf("%s: the descriptor was not closed: %v", name, err)
			}
		}
	}
	f := made(shm.OpenFile(memfd(int64(page), all)))(t)
	must(t, f.Close())
	if now := holdings(t); now != before {
		t.Errorf("left behind: %+v, before %+v", now, before)
	}
}

// TestFilesStaySealed: our own files pass the check and cannot be changed.
func TestFilesStaySealed(t *testing.T) {
	f := newFile(t, 2*page)
	for _, size := range []int64{0, int64(page), int64(3 * page)} {
		if err := unix.Ftruncate(f.FD(), size); err != unix.EPERM {
			t.Errorf("truncated to %d: %v", size, err)
		}
	}
	if _, err := unix.FcntlInt(uintptr(f.FD()), unix.F_ADD_SEALS, unix.F_SEAL_WRITE); err != unix.EPERM {
		t.Errorf("sealed once more: %v", err)
	}
	if flags := made(unix.FcntlInt(uintptr(f.FD()), unix.F_GETFD, 0))(t); flags&unix.FD_CLOEXEC == 0 {
		t.Error("programs that this one starts would get the descriptor")
	}
}

// TestReadOnlyDescriptor cannot be mapped to be written.
func TestReadOnlyDescriptor(t *testing.T) {
	f := newFile(t, page)
	fd := made(unix.Open("/proc/self/fd/"+itoa(f.FD()), unix.O_RDONLY|unix.O_CLOEXEC, 0))(t)
	peer := made(shm.OpenFile(fd))(t)
	defer peer.Close()
	_, err := peer.Map(0, page, shm.ReadWrite)
	wants(t, "Map", err, shm.ErrUnfit)
	mapped(t, peer, 0, page, shm.ReadOnly)
}

// TestHugePages uses huge pages, or is skipped with the reason.
func TestHugePages(t *testing.T) {
	const huge = 2 << 20
	s, err := shm.NewSegment("test", huge, huge)
	if errors.Is(err, shm.ErrResources) || errors.Is(err, shm.ErrUnsupported) {
		t.Skipf("no huge pages are reserved here: %v", err)
	}
	must(t, err)
	defer s.Close()
	peer := made(shm.OpenFile(dupFD(t, s.FD())))(t)
	defer peer.Close()
	if !peer.Huge() || peer.PageSize() != huge {
		t.Errorf("pages of %d", peer.PageSize())
	}
	_, err = peer.Map(int64(page), huge-page, shm.ReadOnly)
	wants(t, "Map of small pages", err, shm.ErrUnfit)
}

// lower sets a limit of this process until the test ends.
func lower(t *testing.T, which int, to uint64) {
	t.Helper()
	var old unix.Rlimit
	must(t, unix.Getrlimit(which, &old))
	must(t, unix.Setrlimit(which, &unix.Rlimit{Cur: to, Max: old.Max}))
	t.Cleanup(func() { must(t, unix.Setrlimit(which, &old)) })
}

// TestFileSizeLimit runs in a process of its own: go test's writes a list of the files and variables that tests use, and
// fails if it meets the limit.
func TestFileSizeLimit(t *testing.T) {
	const own = "GODAPL_TEST_OWN_PROCESS"
	if os.Getenv(own) == "" {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFileSizeLimit$", "-test.v")
		child.Env = append(os.Environ(), own+"=1")
		if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestFileSizeLimit") {
			t.Errorf("in its own process: %v\n%s", err, out)
		}
		return
	}
	lower(t, unix.RLIMIT_FSIZE, uint64(page))
	_, err := shm.CreateFile("test", int64(2*page), 0) // without the check, a signal would end the process
	wants(t, "CreateFile", err, shm.ErrResources)
	newFile(t, page)
}

func TestDescriptorLimit(t *testing.T) {
	lower(t, unix.RLIMIT_NOFILE, 0)
	_, err := shm.CreateFile("test", int64(page), 0)
	wants(t, "CreateFile", err, shm.ErrResources)
	_, err = shm.NewEvent()
	wants(t, "NewEvent", err, shm.ErrResources)
	_, err = shm.NewPark()
	wants(t, "NewPark", err, shm.ErrResources)
	_, err = shm.Listen(someName(t))
	wants(t, "Listen", err, shm.ErrResources)
	_, err = shm.Dial(t.Context(), someName(t))
	wants(t, "Dial", err, shm.ErrResources)
}

// TestEventsAreEvents: descriptors of another kind are refused.
func TestEventsAreEvents(t *testing.T) {
	f := newFile(t, page)
	wants(t, "a file", shm.CheckEvent(f.FD()), shm.ErrUnfit)
	fd := made(unix.Eventfd(0, unix.EFD_CLOEXEC))(t)
	defer unix.Close(fd)
	must(t, shm.CheckEvent(fd))
	if flags := made(unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0))(t); flags&unix.O_NONBLOCK == 0 {
		t.Error("it may block")
	}
	if shm.Drain(fd) {
		t.Error("nobody has signalled")
	}
	must(t, shm.Signal(fd))
	must(t, shm.Signal(fd))
	if !shm.Drain(fd) || shm.Drain(fd) {
		t.Error("two signals are one wake-up")
	}
	full := uint64(1<<64 - 2)
	made(unix.Write(fd, (*[8]byte)(unsafe.Pointer(&full))[:]))(t)
	must(t, shm.Signal(fd)) // its counter is full
	wants(t, "a closed descriptor", shm.Signal(1<<20), shm.ErrUnfit)
}
