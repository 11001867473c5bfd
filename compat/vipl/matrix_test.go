package vipl_test

import (
	"strings"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// The matrix of calls and states: a column each for Idle, connect Pending, Connected and
// Error. An entry tells the result of the call, and behind > the state afterwards, if it is
// another:
//
//	ok     success
//	IS     INVALID_STATE
//	res    ERROR_RESOURCE
//	none   NOT_DONE
//	time   TIMEOUT
//	flush  success, and the descriptor completes at once, flushed
//	waits  success, and the descriptor does not complete
//	done   success, and the descriptor completes
var matrix = []struct {
	call, row string
	do        func(s *subject) string
}{
	{"VipQueryVi", "ok ok ok ok", func(s *subject) string {
		return short(vipl.QueryVi(s.vi, nil, nil, nil, nil))
	}},
	{"VipSetViAttributes", "ok IS IS IS", func(s *subject) string {
		return short(vipl.SetViAttributes(s.vi, &s.attrs))
	}},
	{"VipConnectRequest", "ok>C IS IS IS", func(s *subject) string {
		return short(s.again(func(at *vipl.NetAddress) vipl.Return {
			return vipl.ConnectRequest(s.vi, s.address(), at, second, nil)
		}))
	}},
	{"VipConnectAccept", "ok>C IS IS IS", func(s *subject) string {
		other, at := newSide(s.t, s.name), s.address()
		asks := make(chan vipl.Return, 1)
		go func() {
			asks <- retry(s.side, func() vipl.Return { return vipl.ConnectRequest(other.vi, other.address(), at, second, nil) })
		}()
		var conn vipl.ConnHandle
		ok(s.t, vipl.ConnectWait(s.nic, at, second, nil, nil, &conn))
		ret := vipl.ConnectAccept(conn, s.vi)
		if ret != vipl.Success {
			ok(s.t, vipl.ConnectReject(conn))
		}
		<-asks
		return short(ret)
	}},
	{"VipConnectPeerRequest", "ok>P IS IS IS", func(s *subject) string {
		return short(vipl.ConnectPeerRequest(s.vi, s.address(), s.address(), vipl.Infinite))
	}},
	{"VipConnectPeerDone", "IS none IS IS", func(s *subject) string { return short(vipl.ConnectPeerDone(s.vi, nil)) }},
	{"VipConnectPeerWait, until VipDisconnect", "IS IS>I IS IS", func(s *subject) string {
		if s.state() != vipl.StateConnectPending {
			return short(vipl.ConnectPeerWait(s.vi, nil))
		}
		waits := make(chan vipl.Return, 1)
		go func() { waits <- vipl.ConnectPeerWait(s.vi, nil) }()
		ok(s.t, vipl.Disconnect(s.vi))
		return short(<-waits)
	}},
	{"VipDisconnect", "ok ok>I ok>I ok>I", func(s *subject) string { return short(vipl.Disconnect(s.vi)) }},
	{"VipDestroyVi", "ok>gone IS IS IS", func(s *subject) string { return short(vipl.DestroyVi(s.vi)) }},
	{"VipDestroyVi with a descriptor", "res IS IS IS", func(s *subject) string {
		s.postRecv(s.desc(0))
		return short(vipl.DestroyVi(s.vi))
	}},
	{"VipPostSend", "flush flush done flush", func(s *subject) string {
		d := s.desc(vipl.ControlOpRdmawrite, far(s.peer.mem, s.peer.mem.b), seg(s.mem, s.room(8)))
		return s.fate(vipl.PostSend(s.vi, d, s.mem.handle), d, vipl.SendWait)
	}},
	{"VipPostRecv", "waits waits waits flush", func(s *subject) string {
		d := s.desc(0, seg(s.mem, s.room(8)))
		return s.fate(vipl.PostRecv(s.vi, d, s.mem.handle), d, vipl.RecvWait)
	}},
	{"VipSendDone", "none none none none", func(s *subject) string {
		var d *vipl.Descriptor
		return short(vipl.SendDone(s.vi, &d))
	}},
	{"VipRecvDone", "none none none none", func(s *subject) string {
		var d *vipl.Descriptor
		return short(vipl.RecvDone(s.vi, &d))
	}},
	{"VipSendWait", "time time time time", func(s *subject) string {
		var d *vipl.Descriptor
		return short(vipl.SendWait(s.vi, 1, &d))
	}},
	{"VipRecvWait", "time time time time", func(s *subject) string {
		var d *vipl.Descriptor
		return short(vipl.RecvWait(s.vi, 1, &d))
	}},
	{"VipSendNotify", "ok ok ok ok", func(s *subject) string {
		return s.told(vipl.SendNotify, func() *vipl.Descriptor {
			return s.postSend(s.desc(vipl.ControlOpRdmawrite, far(s.peer.mem, s.peer.mem.b), seg(s.mem, s.room(8))))
		})
	}},
	{"VipRecvNotify, until VipDisconnect", "ok ok>I ok>I ok>I", func(s *subject) string {
		return s.told(vipl.RecvNotify, func() *vipl.Descriptor {
			d := s.postRecv(s.desc(0, seg(s.mem, s.room(8))))
			ok(s.t, vipl.Disconnect(s.vi))
			return d
		})
	}},
	{"VipDestroyPtag", "res res res res", func(s *subject) string { return short(vipl.DestroyPtag(s.nic, s.ptag)) }},
}

func short(ret vipl.Return) string {
	switch ret {
	case vipl.Success:
		return "ok"
	case vipl.InvalidState:
		return "IS"
	case vipl.ErrorResource:
		return "res"
	case vipl.NotDone:
		return "none"
	case vipl.Timeout:
		return "time"
	}
	return ret.String()
}

var states = []struct {
	letter string
	state  vipl.VIState
}{{"I", vipl.StateIdle}, {"P", vipl.StateConnectPending}, {"C", vipl.StateConnected}, {"E", vipl.StateError}}

// subject is a side in a state, with a peer.
type subject struct {
	*side
	peer *side
}

// again connects to a new side that waits, if the state lets it.
func (s *subject) again(connect func(at *vipl.NetAddress) vipl.Return) vipl.Return {
	other, at := newSide(s.t, s.name), s.address()
	if s.state() != vipl.StateIdle {
		return connect(at)
	}
	waits := make(chan vipl.Return, 1)
	go func() {
		var conn vipl.ConnHandle
		ret := vipl.ConnectWait(other.nic, at, second, nil, nil, &conn)
		if ret == vipl.Success {
			ret = vipl.ConnectAccept(conn, other.vi)
		}
		waits <- ret
	}()
	ret := retry(other, func() vipl.Return { return connect(at) })
	ok(s.t, <-waits)
	return ret
}

func (s *subject) fate(ret vipl.Return, d *vipl.Descriptor, wait func(vipl.VIHandle, uint32, **vipl.Descriptor) vipl.Return) string {
	if ret != vipl.Success {
		return short(ret)
	}
	timeout := uint32(second)
	if s.state() != vipl.StateError && d.CS.Control == 0 {
		timeout = 5
	}
	var got *vipl.Descriptor
	switch ret := wait(s.vi, timeout, &got); {
	case ret == vipl.Timeout:
		return "waits"
	case got.CS.Status&vipl.StatusDescFlushedError != 0:
		return "flush"
	case ret == vipl.Success:
		return "done"
	default:
		return ret.String()
	}
}

// told has a handler called for a descriptor.
func (s *subject) told(notify func(vipl.VIHandle, any, vipl.QueueHandler) vipl.Return, post func() *vipl.Descriptor) string {
	told := make(chan *vipl.Descriptor, 1)
	ret := notify(s.vi, nil, func(_ any, _ vipl.NICHandle, _ vipl.VIHandle, d *vipl.Descriptor) { told <- d })
	if ret == vipl.Success {
		if d := post(); d != <-told {
			return "another descriptor"
		}
	}
	return short(ret)
}

func inState(t *testing.T, name, letter string) *subject {
	t.Helper()
	s := &subject{side: newSide(t, name), peer: newSide(t, name)}
	switch letter {
	case "P":
		ok(t, vipl.ConnectPeerRequest(s.vi, s.address(), s.address(), vipl.Infinite))
	case "C", "E":
		connect(s.peer, s.side)
		if letter == "E" {
			ok(t, vipl.Disconnect(s.peer.vi))
			s.hears(vipl.ErrorConnLost)
		}
	}
	return s
}

func TestCallsAndStates(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		for _, m := range matrix {
			for i, cell := range strings.Fields(m.row) {
				t.Run(m.call+" in "+states[i].letter, func(t *testing.T) {
					s := inState(t, name, states[i].letter)
					if s.state() != states[i].state {
						t.Fatal(s.state())
					}
					result, after, _ := strings.Cut(cell, ">")
					if got := m.do(s); got != result {
						t.Fatalf("%s, want %s", got, result)
					}
					var st vipl.VIState
					if ret := vipl.QueryVi(s.vi, &st, nil, nil, nil); (ret != vipl.Success) != (after == "gone") {
						t.Fatal(ret)
					}
					for j, x := range states {
						if (after == x.letter || after == "" && j == i) && st != x.state {
							t.Fatalf("the state is %v", st)
						}
					}
				})
			}
		}
	})
}
