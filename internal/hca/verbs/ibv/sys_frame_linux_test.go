//go:build amd64 || arm64

package ibv

import "testing"

// frame is a frame one of whose calls goes to a function of libc.
func frame(t testing.TB, op func(*Ops) *uintptr, fn string) *Frame {
	t.Helper()
	f := &Frame{Ops: new(Ops)}
	*op(f.Ops) = libc(t, fn)
	return f
}

// Every call of a frame goes through its own function with its arguments in order.
func TestFramePassesArguments(t *testing.T) {
	text := cstring(t, "abcdef")
	dst := func() *Array[byte] {
		a, err := NewArray[byte](8)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(a.Free)
		return a
	}
	// memcpy(dst, src, n) leaves a trace of all three.
	for name, c := range map[string]struct {
		op   func(*Ops) *uintptr
		call func(f *Frame, dst, src uintptr)
	}{
		"PostSend":    {func(o *Ops) *uintptr { return &o.postSend }, func(f *Frame, d, s uintptr) { f.PostSend(QP(d), s, 3) }},
		"PostRecv":    {func(o *Ops) *uintptr { return &o.postRecv }, func(f *Frame, d, s uintptr) { f.PostRecv(QP(d), s, 3) }},
		"PostSRQRecv": {func(o *Ops) *uintptr { return &o.postSRQRe }, func(f *Frame, d, s uintptr) { f.PostSRQRecv(SRQ(d), s, 3) }},
	} {
		a := dst()
		c.call(frame(t, c.op, "memcpy"), a.Addr(0), text)
		if string(a.S) != "abc\x00\x00\x00\x00\x00" {
			t.Errorf("%s: the call made %q of three bytes", name, a.S)
		}
	}
	// memset(dst, value, n): poll takes the number second.
	a := dst()
	frame(t, func(o *Ops) *uintptr { return &o.pollCQ }, "memset").PollCQ(CQ(a.Addr(0)), 'x', 3)
	if string(a.S) != "xxx\x00\x00\x00\x00\x00" {
		t.Errorf("PollCQ: the call made %q", a.S)
	}
	// strnlen(text, n) is n here: an error number to verbs.
	f := frame(t, func(o *Ops) *uintptr { return &o.reqNotifyCQ }, "strnlen")
	if e := f.ReqNotify(CQ(text), false); e != 0 {
		t.Errorf("ReqNotify(false) passed %d", e)
	}
	if e := f.ReqNotify(CQ(text), true); e != 1 {
		t.Errorf("ReqNotify(true) passed %d", e)
	}
}

// Binding refuses what ibv_bind_mw refuses before it calls the driver.
func TestBindMWChecks(t *testing.T) {
	mem, err := NewArray[struct {
		mw   mwLayout
		mr   mrLayout
		bind MWBind
	}](1)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Free()
	m := &mem.S[0]
	base := mem.Addr(0)
	mw, mr := MW(base), MR(base+uintptr(sizeOf[mwLayout]()))
	bind := uintptr(mr) + uintptr(sizeOf[mrLayout]())
	// abs(qp) is zero for no queue pair: the driver's consent.
	f := frame(t, func(o *Ops) *uintptr { return &o.bindMW }, "abs")
	for _, c := range []struct {
		what string
		set  func()
		want Errno
	}{
		{"fits", func() {}, 0},
		{"unbinds", func() { m.bind.Info = MWBindInfo{} }, 0},
		{"type 2", func() { m.mw.kind = MWType2 }, EINVAL},
		{"address without region", func() { m.bind.Info = MWBindInfo{Addr: 1} }, EINVAL},
		{"length without region", func() { m.bind.Info = MWBindInfo{Length: 1} }, EINVAL},
		{"other domain", func() { m.mr.pd = 2 }, EPERM},
		{"no windows", func() { f.Ops.bindMW = 0 }, EOPNOTSUPP},
	} {
		m.mw = mwLayout{pd: 1, kind: MWType1, rkey: 5}
		m.mr = mrLayout{pd: 1}
		m.bind = MWBind{Info: MWBindInfo{MR: mr, Addr: 1, Length: 1}}
		c.set()
		if e := f.BindMW(0, mw, bind); e != c.want {
			t.Errorf("%s: %v, want %v", c.what, e, c.want)
		}
	}
}

func TestCallsDoNotAllocate(t *testing.T) {
	f := frame(t, func(o *Ops) *uintptr { return &o.pollCQ }, "abs")
	fn := f.Ops.pollCQ
	*f.Ops = Ops{pollCQ: fn, reqNotifyCQ: fn, postSend: fn, postRecv: fn, postSRQRe: fn}
	lib := &Lib{getCQEvent: fn, ackCQEvents: fn}
	for name, c := range map[string]func(){
		"PollCQ":      func() { f.PollCQ(0, 64, 0) },
		"ReqNotify":   func() { f.ReqNotify(0, true) },
		"PostSend":    func() { f.PostSend(0, 0, 0) },
		"PostRecv":    func() { f.PostRecv(0, 0, 0) },
		"PostSRQRecv": func() { f.PostSRQRecv(0, 0, 0) },
		"GetCQEvent":  func() { _, _, _ = lib.GetCQEvent(0) },
		"AckCQEvents": func() { lib.AckCQEvents(0, 1) },
	} {
		if n := testing.AllocsPerRun(200, c); n != 0 {
			t.Errorf("%s allocates %v times a call", name, n)
		}
	}
}
