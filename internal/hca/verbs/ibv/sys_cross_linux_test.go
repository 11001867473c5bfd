//go:build amd64 || arm64

package ibv

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
)

// libc stands in for the libraries: a machine without RDMA has it too. A
// loader's success is not needed for it, only what load sets first.
func libc(t testing.TB, name string) uintptr {
	t.Helper()
	_, _ = load(nil)
	p, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func cstring(t testing.TB, s string) uintptr {
	t.Helper()
	a, err := NewArray[byte](len(s) + 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Free)
	copy(a.S, s)
	return a.Addr(0)
}

func TestCallReturnsValue(t *testing.T) {
	if pid := call(libc(t, "getpid"), 0, 0, 0, 0, 0).int(); pid != unix.Getpid() {
		t.Errorf("getpid gives %d, the process is %d", pid, unix.Getpid())
	}
	minus := int64(-1234)
	if v := call(libc(t, "labs"), uintptr(minus<<40), 0, 0, 0, 0).value; v != 1234<<40 {
		t.Errorf("labs gives %#x: all 64 bits of a value count", v)
	}
	if v := call(libc(t, "abs"), uintptr(minus), 0, 0, 0, 0).int(); v != 1234 {
		t.Errorf("abs gives %d", v)
	}
	if v := call(libc(t, "close"), ^uintptr(0), 0, 0, 0, 0).int(); v != -1 {
		t.Errorf("a failed close gives %d: an int has 32 bits", v)
	}
}

// All five arguments arrive, in order.
func TestCallPassesArguments(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	out, err := NewArray[uint32](2)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Free()
	out.S[1] = 4
	r := call(libc(t, "getsockopt"), uintptr(fds[1]), unix.SOL_SOCKET, unix.SO_TYPE, out.Addr(0), out.Addr(1))
	if r.int() != 0 || out.S[0] != unix.SOCK_SEQPACKET || out.S[1] != 4 {
		t.Errorf("getsockopt returned %d with %v", r.int(), out.S)
	}
}

func TestCallTellsErrno(t *testing.T) {
	open, closing := libc(t, "open"), libc(t, "close")
	nowhere := cstring(t, "/no/such/file")
	if e := call(open, nowhere, 0, 0, 0, 0).verbs(); e != syscall.ENOENT {
		t.Errorf("open of nothing: %v", e)
	}
	if e := call(closing, ^uintptr(0), 0, 0, 0, 0).verbs(); e != syscall.EBADF {
		t.Errorf("close of nothing: %v", e)
	}
	// A call that fails without setting errno must not report the errno of the call
	// before it.
	if _, e := call(libc(t, "abs"), 0, 0, 0, 0, 0).pointer(); e != EIO {
		t.Errorf("NULL without errno: %v", e)
	}
}

// Threads change under goroutines, and collections stop them anywhere: each
// call gets its own errno all the same.
func TestErrnoIsOfTheSameCall(t *testing.T) {
	open, closing, rmdir := libc(t, "open"), libc(t, "close"), libc(t, "rmdir")
	nowhere, root := cstring(t, "/no/such/file"), cstring(t, "/")
	bad := func(i int) Errno {
		for range 3000 {
			var got, want Errno
			switch i % 3 {
			case 0:
				got, want = call(open, nowhere, 0, 0, 0, 0).verbs(), syscall.ENOENT
			case 1:
				got, want = call(closing, ^uintptr(0), 0, 0, 0, 0).verbs(), syscall.EBADF
			default:
				got, want = call(rmdir, root, 0, 0, 0, 0).verbs(), syscall.EBUSY
			}
			if got != want {
				return got
			}
			runtime.Gosched()
		}
		return 0
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if e := bad(i); e != 0 {
				t.Errorf("goroutine %d got the error of another call: %v", i, e)
			}
		})
	}
	for range 20 {
		runtime.GC()
	}
	wg.Wait()
}

func TestCount(t *testing.T) {
	getpid := libc(t, "getpid")
	before := Crossings()
	call(getpid, 0, 0, 0, 0, 0)
	if n := Crossings() - before; n != 0 {
		t.Errorf("%d crossings counted while counting is off", n)
	}
	Count(true)
	defer Count(false)
	f := &Frame{Ops: &Ops{pollCQ: getpid}}
	call(getpid, 0, 0, 0, 0, 0)
	f.PollCQ(0, 0, 0)
	if n := Crossings() - before; n != 2 {
		t.Errorf("%d crossings counted, there were two", n)
	}
}

// The assembly counts on it.
func TestCrossingLayout(t *testing.T) {
	var c crossing
	for name, at := range map[string][2]uintptr{
		"fn":       {unsafe.Offsetof(c.fn), 0},
		"args":     {unsafe.Offsetof(c.args), 8},
		"location": {unsafe.Offsetof(c.location), 48},
		"value":    {unsafe.Offsetof(c.value), 56},
		"errno":    {unsafe.Offsetof(c.errno), 64},
	} {
		if at[0] != at[1] {
			t.Errorf("%s is at %d, the assembly has it at %d", name, at[0], at[1])
		}
	}
}
