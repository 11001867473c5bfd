package verbs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

func TestDevicesThatCannotBeOpened(t *testing.T) {
	for _, c := range []struct {
		name           string
		usable, kernel []string
		files          bool
		words          []string
	}{
		{"rxe1", []string{"rxe0", "siw0"}, []string{"rxe0", "siw0"}, true, []string{"no such RDMA device", "rxe0, siw0"}},
		{"rxe0", nil, nil, false, []string{"no RDMA device at all", "soft", "rdma link"}},
		{"rxe0", nil, []string{"rxe0"}, true, []string{"ibverbs-providers", "libibverbs", "/dev/infiniband/uverbs*"}},
		{"rxe0", []string{"siw0"}, []string{"rxe0", "siw0"}, false, []string{"no /dev/infiniband", "ib_uverbs", "--device"}},
	} {
		told(t, noDevice(c.name, c.usable, c.kernel, c.files), hca.NotFound, append(c.words, "Open "+c.name+": ")...)
	}
	for e, code := range map[ibv.Errno]hca.Code{
		ibv.ENODEV: hca.NotFound, ibv.ENOENT: hca.NotFound, ibv.ENOSYS: hca.NotFound,
		ibv.EACCES: hca.Privileges, ibv.EPERM: hca.Privileges, ibv.EMFILE: hca.Resources,
	} {
		told(t, noManager("rxe0", e), code, "rdma_ucm", "/dev/infiniband/rdma_cm", e.Error())
	}
	for _, name := range []string{"rxe0:", "rxe0:0", "rxe0:256", "rxe0:x", ":1"} {
		_, err := Driver().Open(t.Context(), name, hca.Options{})
		told(t, err, hca.NotFound, "mlx5_0:1")
	}
}

// A device that the kernel does not list: which of the reasons it is.
func TestMissingDevices(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	empty, two := filepath.Join(dir, "empty"), filepath.Join(dir, "two")
	for _, name := range []string{empty, filepath.Join(two, "mlx5_0"), filepath.Join(two, "rxe0")} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for class, want := range map[string]string{
		filepath.Join(dir, "none"): "this system has no RDMA devices, as there is no " + filepath.Join(dir, "none") + ": is the kernel module",
		empty:                      "this system has no RDMA devices, as " + empty + " is empty",
		two:                        "of RDMA devices there are mlx5_0, rxe0, see " + two,
		file:                       "RDMA devices are listed in " + file + ", which cannot be read: ",
	} {
		if have := missing(class); !strings.HasPrefix(have, want) {
			t.Errorf("%s\nwant %s", have, want)
		}
	}
}

// A device's file that this user may not open is told as that.
func TestRefusedFile(t *testing.T) {
	class, dev := t.TempDir(), t.TempDir()
	for n, name := range []string{"rxe0", "siw0"} {
		node := "uverbs" + strconv.Itoa(n)
		if err := errors.Join(os.Mkdir(filepath.Join(class, node), 0o700), os.WriteFile(filepath.Join(class, node, "ibdev"), []byte(name+"\n"), 0o600),
			os.WriteFile(filepath.Join(dev, node), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { openFile = os.OpenFile }()
	openFile = func(name string, flag int, mode fs.FileMode) (*os.File, error) {
		if filepath.Base(name) == "uverbs1" {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission} // as for a user who is not root
		}
		return os.OpenFile(name, flag, mode)
	}
	told(t, refusedFile(class, dev, "siw0"), hca.Privileges, "Open siw0: ", "uverbs1: permission denied", "udev", "--device=/dev/infiniband")
	if err := errors.Join(refusedFile(class, dev, "rxe0"), refusedFile(class, dev, "mlx5_0"), refusedFile(class+"x", dev, "siw0")); err != nil {
		t.Error(err)
	}
}

// Memory that cannot be pinned: the limit, what was wanted, and how to raise it.
func TestLockedMemory(t *testing.T) {
	for _, e := range []ibv.Errno{ibv.ENOMEM, ibv.EAGAIN, ibv.EPERM} {
		err := registerError("mlx5_0", 1<<20, e, 64<<10, ibv.NoLimit)
		told(t, err, hca.Resources, "Register mlx5_0: ", "1048576 bytes", "64 KiB", "RLIMIT_MEMLOCK", "hard limit: none",
			"ulimit -l", "limits.conf", "LimitMEMLOCK=infinity", "--ulimit memlock=-1", "IPC_LOCK")
		if !errors.Is(err, e) {
			t.Errorf("%v does not hold its cause", err)
		}
		told(t, registerError("mlx5_0", 1<<20, e, ibv.NoLimit, ibv.NoLimit), hca.Resources, "1048576 bytes", "short of memory")
	}
	told(t, registerError("mlx5_0", 1<<20, ibv.EFAULT, 64<<10, 64<<10), hca.Privileges, "map it for writing")
	if s := memlock(64<<10, 128<<10); limitText(128<<10) != "128 KiB" || len(s) < 50 {
		t.Errorf("%q", s)
	}
}
