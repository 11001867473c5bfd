package perf

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/godapl/godapl/compat/vipl"
)

// viplSide is the active side by the calls of VIPL. The other side is native: on the wire
// they are the same. What the private data of a native connection carries goes through the
// peer's commands here, since VIPL's calls have no private data.
type viplSide struct {
	cfg    *config
	nic    vipl.NICHandle
	vi     vipl.VIHandle
	memory viplMemory
	acked  bool // completions of sends and writes say that all has arrived
	waits  bool // -mode wait
	burst  int  // see config.burst
	posts  []*vipl.Descriptor
	pings  *vipl.Descriptor // of the latency phase
	flush  *vipl.Descriptor // a read that finds out that all has arrived
	// credits is nil if the peer gives none.
	credits *credits
}

func openVipl(ctx context.Context, cfg *config, p peer, address string) (*viplSide, error) {
	adapter, _, _ := cfg.travel()
	v := &viplSide{cfg: cfg, acked: cfg.Path == "loop", waits: cfg.Mode == "wait", burst: cfg.burst()}
	if ret := vipl.OpenNic(adapter, &v.nic); ret != vipl.Success {
		return nil, fmt.Errorf("opening %s: %w", adapter, ret)
	}
	stop := context.AfterFunc(ctx, func() { v.close() })
	defer stop()
	if err := v.fill(p, address); err != nil {
		return nil, errors.Join(err, v.close())
	}
	return v, nil
}

// close ends the VI with its NIC, perhaps for the second time.
func (v *viplSide) close() error {
	vipl.CloseNic(v.nic)
	return nil
}

// fill makes a VI, memory and descriptors, and connects.
func (v *viplSide) fill(p peer, address string) error {
	c := v.cfg
	if err := v.memory.register(v.nic, c); err != nil {
		return err
	}
	attrs := vipl.VIAttributes{ReliabilityLevel: vipl.ServiceReliableDelivery, MaxTransferSize: uint32(max(c.Size, 1<<12)),
		EnableRdmaWrite: true, EnableRdmaRead: true}
	if ret := vipl.CreateVi(v.nic, &attrs, 0, 0, &v.vi); ret != vipl.Success {
		return fmt.Errorf("creating a VI: %w", ret)
	}
	for range c.recvs() {
		if ret := v.receive(v.memory.receive(c.Size)); ret != vipl.Success {
			return fmt.Errorf("posting a receive: %w", ret)
		}
	}
	if err := v.connect(address); err != nil {
		return err
	}
	return v.meet(p)
}

func (v *viplSide) connect(address string) error {
	var nic vipl.NICAttributes
	if ret := vipl.QueryNic(v.nic, &nic); ret != vipl.Success {
		return ret
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	port := at.Port()
	here := vipl.MakeNetAddress(nic.LocalNicAddress, []byte("perf"))
	there := vipl.MakeNetAddress(append(at.Addr().Unmap().AsSlice(), byte(port>>8), byte(port)), nil)
	if ret := vipl.ConnectRequest(v.vi, here, there, 10_000, nil); ret != vipl.Success {
		return fmt.Errorf("connecting: %w", ret)
	}
	return nil
}

// meet tells the other side where our memory is, learns where the other side's is, and makes
// the descriptors.
func (v *viplSide) meet(p peer) error {
	c := v.cfg
	where, err := v.memory.remote(c).MarshalBinary()
	if err != nil {
		return err
	}
	a, err := p.do(command{Do: "meet", Terms: where})
	if err != nil {
		return err
	}
	gives, far, err := readTerms(a.Terms)
	if gives {
		v.credits = new(credits)
	}
	for i := range c.Depth {
		v.posts = append(v.posts, v.memory.operation(c, i, &far))
	}
	v.pings = v.memory.operation(c, 0, &far)
	if c.Op == "write" {
		v.pings.CS.Control |= vipl.ControlImmediate
	}
	v.flush = v.memory.readByte(&far)
	return err
}

// receive posts a receive, again and again.
func (v *viplSide) receive(d *vipl.Descriptor) vipl.Return {
	return vipl.PostRecv(v.vi, d, v.memory.handle)
}

func (v *viplSide) post(d *vipl.Descriptor) vipl.Return {
	return vipl.PostSend(v.vi, d, v.memory.handle)
}
