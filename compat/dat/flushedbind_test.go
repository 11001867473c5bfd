package dat_test

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestAFlushedBindChangesNothing: a bind that a disconnected endpoint flushes does not take effect. The window is
// bound as before, to nothing at first, and peers may use that key on another connection.
func TestAFlushedBindChangesNothing(t *testing.T) {
	needs(t, "windows", windows)
	paths(t, func(t *testing.T, name string) {
		passive, active := pair(t, name)
		var w, fresh dat.RMRHandle
		ok(t, dat.RMRCreate(passive.pz, &w))
		ok(t, dat.RMRCreate(passive.pz, &fresh))
		bound := func(w dat.RMRHandle, key dat.RMRContext, n dat.Vlen, priv dat.MemPrivFlags) {
			t.Helper()
			var p dat.RMRParam
			if ok(t, dat.RMRQuery(w, dat.RMRFieldAll, &p)); p.RMRContext != key || p.LMRTriplet.SegmentLength != n || p.MemPriv != priv {
				t.Fatalf("%+v, want %d bytes under %#x with %#x", p, n, key, priv)
			}
		}
		bind := func(w dat.RMRHandle, n int, priv dat.MemPrivFlags, flags dat.CompletionFlags) (key dat.RMRContext) {
			t.Helper()
			ok(t, dat.RMRBind(w, &passive.mem.iov(0, n)[0], priv, passive.ep, num(7), flags, &key))
			return key
		}
		ended := func(w dat.RMRHandle, status dat.DTOCompletionStatus) {
			t.Helper()
			d := expect(t, passive.req, dat.RMRBindCompletionEvent).EventData.RMRCompletionEventData
			if d.RMRHandle != w || d.UserCookie != num(7) || d.Status != status {
				t.Fatalf("%+v, want status %d", d, status)
			}
		}
		const readable = dat.MemPrivRemoteReadFlag
		key := bind(w, 64, readable, 0)
		ended(w, dat.DTOSuccess)
		ok(t, dat.EPDisconnect(passive.ep, dat.CloseAbruptFlag))
		expect(t, passive.conn, dat.ConnectionEventDisconnected)
		expect(t, active.conn, dat.ConnectionEventDisconnected)

		bind(fresh, 8, readable, 0)
		ended(fresh, dat.DTOErrFlushed)
		bound(fresh, 0, 0, 0)
		// Two at a time, the second of which unbinds, and one whose success would make no event.
		flushed := bind(w, 8, dat.MemPrivRemoteWriteFlag, 0)
		bind(w, 0, 0, 0)
		bind(w, 16, readable, dat.CompletionSuppressFlag)
		ended(w, dat.DTOErrFlushed)
		ended(w, dat.DTOErrFlushed)
		ended(w, dat.DTOErrFlushed)
		bound(w, key, 64, readable)
		local := dat.RMRTriplet{RMRContext: flushed, TargetAddress: dat.VaddrOf(passive.mem.b), SegmentLength: 8}
		want(t, dat.EPPostRDMAReadToRMR(passive.ep, &local, num(1), active.mem.remote(0, 8), 0), dat.PrivilegesViolation)

		for _, s := range []*side{passive, active} {
			ok(t, dat.EPReset(s.ep))
		}
		connect(passive, active, name)
		copy(passive.mem.b, "lent as before")
		from := passive.mem.remote(0, 14)
		from.RMRContext = key
		ok(t, dat.EPPostRDMARead(active.ep, 1, active.mem.iov(0, 14), num(2), from, 0))
		completion(t, active.req, dat.DTOSuccess)
		if got := string(active.mem.b[:14]); got != "lent as before" {
			t.Errorf("read %q", got)
		}
	})
}

// TestTheEventOfAFreedWindowNamesIt: the event of a bind has the handle of its window, which may be freed by then,
// whether the completion was there before or not.
func TestTheEventOfAFreedWindowNamesIt(t *testing.T) {
	needs(t, "windows", windows)
	for _, seen := range []bool{false, true} {
		paths(t, func(t *testing.T, name string) {
			passive, _ := pair(t, name)
			var w dat.RMRHandle
			ok(t, dat.RMRCreate(passive.pz, &w))
			cookie := dat.Context{AsPtr: t}
			ok(t, dat.RMRBind(w, &passive.mem.iov(0, 8)[0], dat.MemPrivRemoteReadFlag, passive.ep, cookie, 0, nil))
			if seen {
				queued(t, passive.req, 1)
			}
			ok(t, dat.RMRFree(w))
			if d := expect(t, passive.req, dat.RMRBindCompletionEvent).EventData.RMRCompletionEventData; d.RMRHandle != w || d.UserCookie != cookie {
				t.Errorf("%+v, want the window %#x", d, w)
			}
			want(t, dat.RMRFree(w), dat.InvalidHandle)
			ok(t, dat.LMRFree(passive.mem.lmr)) // nothing is bound to it
		})
	}
}

// TestFormerBindsAreForgotten: a bind that has succeeded replaces those before it, also if it makes no event: then as
// soon as so much has been posted after it that it must have succeeded. Nobody need look for events meanwhile: the
// success leaves nothing that takes room.
func TestFormerBindsAreForgotten(t *testing.T) {
	needs(t, "windows", windows)
	paths(t, func(t *testing.T, name string) {
		passive, _ := pair(t, name)
		var w dat.RMRHandle
		ok(t, dat.RMRCreate(passive.pz, &w))
		bind := func(flags dat.CompletionFlags) (key dat.RMRContext) {
			for {
				var idle dat.Boolean
				ok(t, dat.EPGetStatus(passive.ep, nil, nil, &idle))
				ret := dat.RMRBind(w, &passive.mem.iov(0, 8)[0], dat.MemPrivRemoteReadFlag, passive.ep, num(1), flags, &key)
				if ret.Type() != dat.InsufficientResources || bool(idle) {
					ok(t, ret)
					return key
				}
				runtime.Gosched()
			}
		}
		for range 1000 {
			bind(dat.CompletionSuppressFlag)
		}
		if n := dat.Bindings(w); n > 200 {
			t.Errorf("%d binds are remembered", n)
		}
		last := bind(0)
		expect(t, passive.req, dat.RMRBindCompletionEvent)
		var p dat.RMRParam
		ok(t, dat.RMRQuery(w, dat.RMRFieldAll, &p))
		if n := dat.Bindings(w); n != 1 || p.RMRContext != last {
			t.Errorf("%d binds are remembered, and the key is %#x, want %#x", n, p.RMRContext, last)
		}
	})
}
