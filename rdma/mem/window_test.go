package mem_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

func TestWindowBind(t *testing.T) {
	d, pd := newDomain(t)
	r := alloc(t, d, 64, mem.Local)
	w, err := d.NewWindow(mem.EndpointWindow)
	if err != nil {
		t.Fatal(err)
	}
	if w.Kind() != mem.EndpointWindow || w.Remote() != (mem.Remote{}) {
		t.Errorf("new window: %v, %v", w.Kind(), w.Remote())
	}
	var posted hca.Bind
	got, err := d.Bind(w, r.Slice(8, 16), mem.RemoteRead|mem.RemoteWrite, false, func(b *hca.Bind) error {
		b.Key = 77
		posted = *b
		return nil
	})
	want := mem.Remote{Key: 77, Addr: r.Addr() + 8, Length: 16}
	if err != nil || got != want || w.Remote() != want {
		t.Fatalf("%v, %v, %v", got, w.Remote(), err)
	}
	if posted.Addr != want.Addr || posted.Len != 16 || posted.Access != hca.RemoteRead|hca.RemoteWrite || posted.MR == nil || posted.MW == nil {
		t.Errorf("posted %+v", posted)
	}
	full := hca.NewError(hca.QueueFull, "post", "", "")
	if _, err := d.Bind(w, r.Slice(0, 1), mem.RemoteRead, false, func(*hca.Bind) error { return full }); !errors.Is(err, hca.QueueFull) || w.Remote() != want {
		t.Errorf("a bind that was not posted: %v, %v", err, w.Remote())
	}
	if got, err = d.Bind(w, r.Slice(0, 1), mem.RemoteRead, false, bindWith(78)); err != nil || got.Key != 78 || w.Remote().Key != 78 {
		t.Errorf("second bind: %v, %v", got, err)
	}
	if got, err = d.Bind(w, mem.Slice{}, mem.All, false, bindWith(79)); err != nil || got != (mem.Remote{}) || w.Remote() != got {
		t.Errorf("unbind: %v, %v", got, err)
	}
	open := pd.open.Load()
	for range 2 {
		if err := w.Free(); err != nil {
			t.Fatal(err)
		}
	}
	if pd.open.Load() != open-1 {
		t.Error("the window was not closed once")
	}
	if _, n := d.Counts(); n != 0 {
		t.Errorf("%d windows in the zone", n)
	}
	if _, err := d.Bind(w, r.Slice(0, 1), mem.RemoteRead, false, bindWith(1)); !errors.Is(err, hca.Closed) {
		t.Errorf("bind after Free: %v", err)
	}
}

// TestWindowInsideABind: a post may run a handler of the program, which may ask the window or free it.
func TestWindowInsideABind(t *testing.T) {
	d, _ := newDomain(t)
	r := alloc(t, d, 64, mem.Local)
	w, err := d.NewWindow(mem.EndpointWindow)
	if err != nil {
		t.Fatal(err)
	}
	first, err := d.Bind(w, r.Slice(0, 8), mem.RemoteRead, false, bindWith(1))
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Bind(w, r.Slice(0, 16), mem.RemoteRead, false, func(b *hca.Bind) error {
		if got := w.Remote(); got != first {
			t.Errorf("it covers %v, want %v", got, first)
		}
		b.Key = 2
		return w.Free()
	})
	if got := w.Remote(); err != nil || got != (mem.Remote{}) {
		t.Errorf("%v; the window was freed and covers %v", err, got)
	}
}

func TestWindowBindChecks(t *testing.T) {
	d, _ := newDomain(t)
	other := mem.NewDomain(&fakePD{}, "zone B")
	reader, writer := alloc(t, d, 64, mem.LocalRead), alloc(t, d, 64, mem.LocalWrite)
	foreign := alloc(t, other, 64, mem.All)
	freed := alloc(t, d, 64, mem.All)
	late := freed.Slice(0, 1)
	freed.Free()
	w, err := d.NewWindow(mem.ZoneWindow)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		d      *mem.Domain
		s      mem.Slice
		rights mem.Rights
		code   hca.Code // 0: accepted
	}{
		"read of read":    {d, reader.All(), mem.RemoteRead, 0},
		"write of read":   {d, reader.All(), mem.RemoteWrite, hca.Privileges},
		"atomic of read":  {d, reader.All(), mem.RemoteAtomic, hca.Privileges},
		"write of write":  {d, writer.All(), mem.RemoteWrite, 0},
		"read of write":   {d, writer.All(), mem.RemoteRead, hca.Privileges},
		"atomic of write": {d, writer.All(), mem.RemoteAtomic, hca.Privileges},
		"nothing":         {d, reader.All(), 0, hca.Invalid},
		"local rights":    {d, reader.All(), mem.LocalRead, hca.Invalid},
		"zone of region":  {d, foreign.All(), mem.RemoteRead, hca.Protection},
		"zone of window":  {other, foreign.All(), mem.RemoteRead, hca.Protection},
		"freed":           {d, late, mem.RemoteRead, hca.Privileges},
		"range":           {d, reader.Slice(0, 1<<30), mem.RemoteRead, hca.Invalid},
		"unknown bits":    {d, reader.All(), 0x80, hca.Invalid},
	} {
		_, err := c.d.Bind(w, c.s, c.rights, false, bindWith(1))
		if c.code == 0 && err != nil || c.code != 0 && !errors.Is(err, c.code) {
			t.Errorf("%s: %v, want %v", name, err, c.code)
		}
	}
	if _, err := d.Bind(w, reader.All(), mem.LocalRead, true, bindWith(1)); err != nil {
		t.Errorf("a bind that may open nothing: %v", err)
	}
	if _, err := d.NewWindow(3); !errors.Is(err, hca.Invalid) {
		t.Errorf("unknown kind: %v", err)
	}
}
