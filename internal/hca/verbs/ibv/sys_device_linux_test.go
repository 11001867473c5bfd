package ibv_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// nonblocking makes sure that no test waits inside C. It returns a duplicate.
func nonblocking(t testing.TB, fd int) int {
	t.Helper()
	if err := ibv.Nonblock(fd); err != nil {
		t.Fatal(err)
	}
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return dup
}

func TestObjects(t *testing.T) {
	each(t, func(t *testing.T, lib *ibv.Lib, c ibv.Context) {
		_ = unix.Close(nonblocking(t, c.AsyncFD()))
		if _, e := lib.GetAsyncEvent(c); e != ibv.EAGAIN {
			t.Errorf("an asynchronous event where there is none: %v", e)
		}
		pd, e := lib.AllocPD(c)
		ok(t, "ibv_alloc_pd", e)
		if pd.Context() != c {
			t.Errorf("the domain is of %#x, not %#x", pd.Context(), c)
		}
		mem := array[byte](t, 8192)
		mr, e := lib.RegMR(pd, mem.Addr(0), 8192, ibv.AccessLocalWrite|ibv.AccessRemoteRead)
		ok(t, "ibv_reg_mr", e)
		if mr.Addr() != mem.Addr(0) || mr.Length() != 8192 || mr.PD() != pd || mr.LKey() == 0 || mr.RKey() == 0 {
			t.Errorf("region %#x+%d, keys %#x and %#x", mr.Addr(), mr.Length(), mr.LKey(), mr.RKey())
		}
		if _, e := lib.RegMR(pd, 4096, 4096, ibv.AccessLocalWrite); e != ibv.EFAULT && e != ibv.ENOMEM {
			t.Errorf("memory that is not there was refused with: %v", e)
		}
		if e := lib.DeallocPD(pd); e != ibv.EBUSY {
			t.Errorf("a domain in use was freed with: %v", e)
		}
		windows(t, lib, c, pd)
		queues(t, lib, c)
		ok(t, "ibv_dereg_mr", lib.DeregMR(mr))
		ok(t, "ibv_dealloc_pd", lib.DeallocPD(pd))
	})
}

func windows(t *testing.T, lib *ibv.Lib, c ibv.Context, pd ibv.PD) {
	a, e := lib.QueryDevice(c)
	ok(t, "ibv_query_device", e)
	for kind, flag := range map[ibv.MWType]ibv.DeviceCap{
		ibv.MWType1: ibv.DeviceMemWindow, ibv.MWType2: ibv.DeviceMemWindowType2A | ibv.DeviceMemWindowType2B,
	} {
		mw, e := lib.AllocMW(pd, kind)
		if a.Caps&flag == 0 {
			if e != ibv.EOPNOTSUPP && e != ibv.ENOSYS {
				t.Errorf("a window of type %d, which the device does not have: %v", kind, e)
			}
			if e == 0 {
				ok(t, "ibv_dealloc_mw", lib.DeallocMW(mw))
			}
			continue
		}
		ok(t, "ibv_alloc_mw", e)
		if mw.Type() != kind || mw.PD() != pd || mw.RKey() == 0 {
			t.Errorf("window of type %d, domain %#x, key %#x", mw.Type(), mw.PD(), mw.RKey())
		}
		ok(t, "ibv_dealloc_mw", lib.DeallocMW(mw))
	}
}

func queues(t *testing.T, lib *ibv.Lib, c ibv.Context) {
	ch, e := lib.CreateCompChannel(c)
	ok(t, "ibv_create_comp_channel", e)
	_ = unix.Close(nonblocking(t, ch.FD()))
	cq, e := lib.CreateCQ(c, 100, 4711, ch, 0)
	ok(t, "ibv_create_cq", e)
	if cq.CQE() < 100 || cq.Context() != c || cq.UserContext() != 4711 {
		t.Errorf("queue of %d entries, device %#x, user %d", cq.CQE(), cq.Context(), cq.UserContext())
	}
	f := &ibv.Frame{Ops: c.Ops()}
	wcs := array[ibv.WC](t, 64)
	if n := f.PollCQ(cq, 64, wcs.Addr(0)); n != 0 {
		t.Errorf("%d completions in a new queue", n)
	}
	ok(t, "ibv_req_notify_cq", f.ReqNotify(cq, false))
	if _, _, e := lib.GetCQEvent(ch); e != ibv.EAGAIN {
		t.Errorf("an event of a new queue: %v", e)
	}
	if n := testing.AllocsPerRun(100, func() {
		f.PollCQ(cq, 64, wcs.Addr(0))
		f.ReqNotify(cq, false)
		_, _, _ = lib.GetCQEvent(ch)
	}); n != 0 {
		t.Errorf("poll, arm and look for an event allocate %v times", n)
	}
	if e := lib.ResizeCQ(cq, 300); e == 0 && cq.CQE() < 300 {
		t.Errorf("resized to %d entries", cq.CQE())
	} else if e != 0 {
		t.Logf("ibv_resize_cq: %v", e)
	}
	if e := lib.DestroyCompChannel(ch); e != ibv.EBUSY {
		t.Errorf("a channel in use was destroyed with: %v", e)
	}
	ok(t, "ibv_destroy_cq", lib.DestroyCQ(cq))
	ok(t, "ibv_destroy_comp_channel", lib.DestroyCompChannel(ch))
}

// freed is whether a file descriptor was closed.
func freed(fd int) bool {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err != nil
}

// Contexts outlive the list that they came in, and two lists have the same ones.
func TestDevicesStayOpen(t *testing.T) {
	lib, _ := open(t)
	one, e := lib.GetDevices()
	ok(t, "rdma_get_devices", e)
	two, e := lib.GetDevices()
	ok(t, "rdma_get_devices", e)
	for i, c := range one.Contexts {
		if two.Contexts[i] != c {
			t.Errorf("device %d is %#x, then %#x", i, c, two.Contexts[i])
		}
	}
	lib.FreeDevices(one)
	lib.FreeDevices(two)
	for _, c := range two.Contexts {
		if freed(c.AsyncFD()) {
			t.Fatalf("%s was closed", c.Device().Name())
		}
		_, e := lib.QueryDevice(c)
		ok(t, "ibv_query_device of a context whose list was freed", e)
	}
}
