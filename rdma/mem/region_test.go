package mem_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/bits"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

func TestAllocGivesWholePages(t *testing.T) {
	d, pd := newDomain(t)
	page := mem.PageSize()
	for _, size := range []int{1, page - 1, page, page + 1, 10 * page} {
		r := alloc(t, d, size, mem.Local)
		want := (size + page - 1) / page * page
		if r.Len() != want || len(r.Bytes()) != want || len(pd.lastMem.Bytes) != want || r.PageSize() != page {
			t.Errorf("%d bytes: Len %d, Bytes %d, registered %d, page %d; want %d of pages of %d",
				size, r.Len(), len(r.Bytes()), len(pd.lastMem.Bytes), r.PageSize(), want, page)
		}
		if at := address(r.Bytes()); at%uintptr(page) != 0 {
			t.Errorf("%d bytes at %#x: not at a page", size, at)
		}
		if len(bytes.Trim(r.Bytes(), "\x00")) != 0 {
			t.Errorf("%d bytes: not zeros", size)
		}
		if err := r.Free(); err != nil {
			t.Error(err)
		}
	}
}

func TestRegisterCoversJustTheSlice(t *testing.T) {
	d, pd := newDomain(t)
	whole := []byte("neighbour-mine-neighbour")
	r, err := d.Register(whole[10:14], mem.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	if r.Len() != 4 || string(r.Bytes()) != "mine" || string(pd.lastMem.Bytes) != "mine" {
		t.Errorf("region %q of %d, registered %q", r.Bytes(), r.Len(), pd.lastMem.Bytes)
	}
	r.Bytes()[0] = 'M'
	if string(whole) != "neighbour-Mine-neighbour" {
		t.Errorf("the region is not the slice: %q", whole)
	}
}

func TestRegisteredSliceStaysUntilFreed(t *testing.T) {
	d, pd := newDomain(t)
	r, at := registerFresh(t, d)
	pd.lastMem = hca.Memory{}
	runtime.GC()
	runtime.GC()
	if at.Value() == nil {
		t.Fatal("the collector took a registered slice")
	}
	if err := r.Free(); err != nil {
		t.Fatal(err)
	}
	r = nil
	for range 10 {
		runtime.GC()
	}
	if at.Value() != nil {
		t.Error("the slice is held after Free")
	}
}

//go:noinline
func registerFresh(t *testing.T, d *mem.Domain) (*mem.Region, weak.Pointer[byte]) {
	b := make([]byte, 1<<16)
	r, err := d.Register(b, mem.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	return r, weak.Make(&b[0])
}

func TestRefusedRegistrations(t *testing.T) {
	d, pd := newDomain(t)
	r := alloc(t, d, 1, mem.LocalRead)
	gone := alloc(t, d, 1, mem.LocalRead)
	gone.Free()
	refusal := func(_ *mem.Region, err error) error { return err }
	type refused struct {
		err  error
		code hca.Code
		says string
	}
	cases := map[string]refused{
		"zero":        {refusal(d.Alloc(0, mem.Local, mem.AllocConfig{})), hca.Invalid, "at least one byte"},
		"negative":    {refusal(d.Alloc(-1, mem.Local, mem.AllocConfig{})), hca.Invalid, "at least one byte"},
		"too large":   {refusal(d.Alloc(math.MaxInt, mem.Local, mem.AllocConfig{})), hca.Resources, "address"},
		"rights":      {refusal(d.Alloc(1, 0x80, mem.AllocConfig{})), hca.Invalid, "0x80"},
		"huge option": {refusal(d.Alloc(1, mem.Local, mem.AllocConfig{HugePages: 9})), hca.Invalid, "9"},
		"empty slice": {refusal(d.Register(nil, mem.Local)), hca.Invalid, "at least one byte"},
		"no region":   {refusal(d.RegisterAgain(nil, mem.Local)), hca.Invalid, "no region"},
		"freed":       {refusal(d.RegisterAgain(gone, mem.Local)), hca.Closed, "freed"},
		"again":       {refusal(d.RegisterAgain(r, 0x80)), hca.Invalid, "0x80"},
	}
	if bits.UintSize == 64 { // what 32 bits can address may be there
		cases["too much"] = refused{refusal(d.Alloc(1<<(bits.UintSize-2), mem.Local, mem.AllocConfig{})), hca.Resources, "ulimit"}
	}
	for name, c := range cases {
		if !errors.Is(c.err, c.code) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: %v, want %v and %q", name, c.err, c.code, c.says)
		}
	}
	pd.fail = hca.NewError(hca.Resources, "register", "", "ENOMEM")
	if _, err := d.Alloc(1, mem.Local, mem.AllocConfig{}); !errors.Is(err, hca.Resources) || !strings.Contains(err.Error(), "ulimit -l") {
		t.Errorf("limit of the adapter: %v", err)
	}
	if n, _ := d.Counts(); n != 1 {
		t.Errorf("%d regions, want the one that was made", n)
	}
}

func TestFree(t *testing.T) {
	d, pd := newDomain(t)
	r := alloc(t, d, 100, mem.Local)
	s := r.Slice(8, 8)
	late := r.Bytes()
	late[0] = 1
	pd.busy = hca.NewError(hca.InUse, "free", "", "a window")
	if err := r.Free(); !errors.Is(err, hca.InUse) {
		t.Fatalf("with a window bound: %v", err)
	}
	if r.Freed() || r.Bytes() == nil || pd.open.Load() != 1 {
		t.Fatal("a refused Free changed something")
	}
	pd.busy = nil
	for range 2 { // the second does nothing
		if err := r.Free(); err != nil {
			t.Fatal(err)
		}
	}
	if !r.Freed() || r.Bytes() != nil || s.Bytes() != nil || pd.open.Load() != 0 {
		t.Errorf("after Free: freed %t, bytes %v, %v, %d registrations", r.Freed(), r.Bytes(), s.Bytes(), pd.open.Load())
	}
	if _, err := r.ReadAt(make([]byte, 1), 0); !errors.Is(err, hca.Closed) {
		t.Errorf("ReadAt: %v", err)
	}
	if _, err := r.WriteAt(make([]byte, 1), 0); !errors.Is(err, hca.Closed) {
		t.Errorf("WriteAt: %v", err)
	}
	if n, _ := d.Counts(); n != 0 {
		t.Errorf("%d regions in the zone", n)
	}
	// A slice from before reads zeros and may even be written.
	if len(bytes.Trim(late, "\x00")) != 0 {
		t.Error("the pages were not given back")
	}
	late[len(late)-1] = 1
}

func TestSeveralRegionsOverOneMemory(t *testing.T) {
	a, _ := newDomain(t)
	pd := &fakePD{}
	b := mem.NewDomain(pd, "zone B")
	first := alloc(t, a, 64, mem.LocalRead)
	second, err := b.RegisterAgain(first, mem.LocalWrite|mem.RemoteWrite)
	if err != nil {
		t.Fatal(err)
	}
	if first.Rights() != mem.LocalRead || second.Rights() != mem.LocalWrite|mem.RemoteWrite {
		t.Errorf("rights %v and %v", first.Rights(), second.Rights())
	}
	if first.RemoteKey() != 0 || second.RemoteKey() == 0 {
		t.Errorf("remote keys %d and %d: only the second has a remote right", first.RemoteKey(), second.RemoteKey())
	}
	copy(first.Bytes(), "shared")
	if err := first.Free(); err != nil {
		t.Fatal(err)
	}
	if got := string(second.Bytes()[:6]); got != "shared" {
		t.Errorf("the memory went with the first region: %q", got)
	}
	s := second.Slice(0, 6)
	if _, ok := s.Segment(a, mem.LocalWrite); ok {
		t.Error("the second region works in the zone of the first")
	}
	late := second.Bytes()
	if err := second.Free(); err != nil {
		t.Fatal(err)
	}
	if late[0] != 0 {
		t.Error("the memory stayed after the last region")
	}
}

func TestReadAtWriteAt(t *testing.T) {
	d, _ := newDomain(t)
	r, _ := d.Register(make([]byte, 10), 0)
	if n, err := r.WriteAt([]byte("0123456789"), 0); n != 10 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := r.WriteAt([]byte("xyz"), 8); n != 2 || !errors.Is(err, hca.Length) {
		t.Errorf("write over the end: %d, %v", n, err)
	}
	if n, err := r.WriteAt([]byte("x"), math.MaxInt64); n != 0 || !errors.Is(err, hca.Length) {
		t.Errorf("write behind the end: %d, %v", n, err)
	}
	p := make([]byte, 4)
	if n, err := r.ReadAt(p, 2); n != 4 || err != nil || string(p) != "2345" {
		t.Errorf("%d, %v, %q", n, err, p)
	}
	if n, err := r.ReadAt(p, 7); n != 3 || err != io.EOF || string(p[:n]) != "7xy" {
		t.Errorf("at the end: %d, %v, %q", n, err, p[:n])
	}
	if n, err := r.ReadAt(p, math.MaxInt64); n != 0 || err != io.EOF {
		t.Errorf("behind the end: %d, %v", n, err)
	}
	for _, f := range []func([]byte, int64) (int, error){r.ReadAt, r.WriteAt} {
		if _, err := f(p, -1); !errors.Is(err, hca.Invalid) {
			t.Errorf("negative: %v", err)
		}
	}
}

// TestFreeBesideReadAt runs copies while the memory goes: they end with data or
// an error.
func TestFreeBesideReadAt(t *testing.T) {
	d, _ := newDomain(t)
	for range 20 {
		r := alloc(t, d, 1<<16, mem.Local)
		started, done := make(chan struct{}), make(chan error)
		go func() {
			p := make([]byte, 1<<16)
			close(started)
			for {
				if _, err := r.ReadAt(p, 0); err != nil {
					done <- err
					return
				}
			}
		}()
		<-started
		if err := r.Free(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, hca.Closed) {
			t.Fatal(err)
		}
	}
}

func TestHugePages(t *testing.T) {
	d, _ := newDomain(t)
	huge := mem.HugePageSize()
	r, err := d.Alloc(1, mem.Local, mem.AllocConfig{HugePages: mem.HugeRequire})
	switch {
	case err == nil:
		if r.PageSize() != huge || r.Len() != huge {
			t.Errorf("page %d, length %d, want %d", r.PageSize(), r.Len(), huge)
		}
		r.Bytes()[huge-1] = 1
		r.Free()
	case huge == 0:
		if !errors.Is(err, hca.Unsupported) {
			t.Error(err)
		}
	default:
		if !errors.Is(err, hca.Resources) || !strings.Contains(err.Error(), "vm.nr_hugepages") {
			t.Error(err)
		}
	}
	size := max(huge, mem.PageSize())
	r, err = d.Alloc(size+1, mem.Local, mem.AllocConfig{HugePages: mem.HugePrefer})
	if err != nil {
		t.Fatal(err)
	}
	if at := address(r.Bytes()); at%uintptr(size) != 0 || r.Len() != 2*size {
		t.Errorf("%d bytes at %#x, want %d at a multiple of %d", r.Len(), at, 2*size, size)
	}
	r.Bytes()[r.Len()-1] = 1
	r.Free()
}

func TestClosedZoneTakesNothing(t *testing.T) {
	d, pd := newDomain(t)
	r := alloc(t, d, 1, mem.Local)
	w, err := d.NewWindow(mem.ZoneWindow)
	if err != nil {
		t.Fatal(err)
	}
	d.Close(false)
	if !r.Freed() || pd.open.Load() != 0 {
		t.Errorf("freed %t, %d left open", r.Freed(), pd.open.Load())
	}
	if _, err := d.Bind(w, r.All(), mem.RemoteRead, false, bindWith(1)); !errors.Is(err, hca.Closed) {
		t.Errorf("bind: %v", err)
	}
	if _, err := d.Alloc(1, mem.Local, mem.AllocConfig{}); !errors.Is(err, hca.Closed) {
		t.Errorf("alloc: %v", err)
	}
	if _, err := d.NewWindow(mem.ZoneWindow); !errors.Is(err, hca.Closed) {
		t.Errorf("window: %v", err)
	}
	if pd.open.Load() != 0 {
		t.Errorf("%d registrations leaked", pd.open.Load())
	}
}
