package vipl_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestAnObjectEndsOnce: of several calls at the same time that end an object, one succeeds.
func TestAnObjectEndsOnce(t *testing.T) {
	s := newNIC(t, "soft-loop")
	s.attrs = usual()
	for what, f := range map[string]func() func() vipl.Return{
		"completion queue": func() func() vipl.Return {
			var h vipl.CQHandle
			ok(t, vipl.CreateCQ(s.nic, 4, &h))
			return func() vipl.Return { return vipl.DestroyCQ(h) }
		},
		"VI": func() func() vipl.Return {
			var h vipl.VIHandle
			ok(t, vipl.CreateVi(s.nic, &s.attrs, 0, 0, &h))
			return func() vipl.Return { return vipl.DestroyVi(h) }
		},
		"protection tag": func() func() vipl.Return {
			var h vipl.ProtectionHandle
			ok(t, vipl.CreatePtag(s.nic, &h))
			return func() vipl.Return { return vipl.DestroyPtag(s.nic, h) }
		},
		"region": func() func() vipl.Return {
			var h vipl.MemHandle
			ok(t, vipl.RegisterMem(s.nic, s.mem.b, 64, nil, &h))
			return func() vipl.Return { return vipl.DeregisterMem(s.nic, s.mem.b, h) }
		},
		"NIC": func() func() vipl.Return {
			var h vipl.NICHandle
			ok(t, vipl.OpenNic("soft-loop", &h))
			return func() vipl.Return { return vipl.CloseNic(h) }
		},
	} {
		t.Run(what, func(t *testing.T) {
			for range 100 {
				end := f()
				var ended atomic.Int32
				var all sync.WaitGroup
				begin := make(chan struct{})
				for range 4 {
					all.Go(func() {
						<-begin
						switch ret := end(); ret {
						case vipl.Success:
							ended.Add(1)
						case vipl.InvalidParameter, vipl.InvalidPtag:
						default:
							t.Error(ret)
						}
					})
				}
				close(begin)
				if all.Wait(); ended.Load() != 1 {
					t.Fatalf("it was ended %d times", ended.Load())
				}
			}
		})
	}
}

// TestAVIEndsWithoutDescriptors: beside DestroyVi, a post succeeds or DestroyVi does, and not both: the descriptor would
// never come back.
func TestAVIEndsWithoutDescriptors(t *testing.T) {
	s := newNIC(t, "soft-loop")
	s.attrs = usual()
	s.attrs.Ptag = s.ptag
	d := s.desc(0)
	for _, post := range []func(vipl.VIHandle, *vipl.Descriptor, vipl.MemHandle) vipl.Return{vipl.PostRecv, vipl.PostSend} {
		for range 200 {
			var vi vipl.VIHandle
			ok(t, vipl.CreateVi(s.nic, &s.attrs, 0, 0, &vi))
			posted := make(chan vipl.Return, 1)
			go func() { posted <- post(vi, d, s.mem.handle) }()
			ended := vipl.DestroyVi(vi)
			switch ret := <-posted; {
			case ret == vipl.Success && ended == vipl.ErrorResource:
				ok(t, vipl.Disconnect(vi))
				var got *vipl.Descriptor
				if vipl.RecvDone(vi, &got); got == nil {
					vipl.SendDone(vi, &got)
				}
				ok(t, vipl.DestroyVi(vi))
			case ret != vipl.InvalidParameter || ended != vipl.Success:
				t.Fatalf("the post: %v; DestroyVi: %v", ret, ended)
			}
		}
	}
}
