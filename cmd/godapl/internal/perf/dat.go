package perf

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"time"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// datSide is the active side by the calls of uDAPL. The other side uses package rdma: on
// the wire there is no difference.
type datSide struct {
	cfg        *config
	ia         dat.IAHandle
	ep         dat.EPHandle
	done, came dat.EVDHandle // completions of requests and receives
	acked      bool
	iov        [][]dat.LMRTriplet // local places of the operations in flight
	to         []dat.RMRTriplet   // their remote places
	far        mem.Remote
	incoming   []dat.LMRTriplet
	waits      bool                          // -mode wait
	burst      int                           // see config.burst
	ahead      *dat.Ahead                    // with -take above 1, of done
	at, taken  int                           // of the events that ahead took
	start      func(place uint32) dat.Return // the operation of a place
	ev         dat.Event
}

// datAdapters are the adapters' names with perf's settings: a message may wait long for
// its receive.
var datAdapters = map[string]*dat.Provider{}

func datName(adapter string) (string, error) {
	name := "perf-" + adapter
	if datAdapters[adapter] == nil {
		p := &dat.Provider{DeviceName: adapter, Options: rdma.OpenConfig{ReceiveWait: 30 * time.Second}}
		info := &dat.ProviderInfo{IAName: name, DaplVersionMajor: dat.VersionMajor, DaplVersionMinor: dat.VersionMinor}
		if ret := dat.RegistryAddProvider(p, info); ret != dat.Success {
			return "", ret
		}
		datAdapters[adapter] = p
	}
	return name, nil
}

func openDat(ctx context.Context, cfg *config, address string) (*datSide, error) {
	name, err := datName(paths[cfg.Path].adapter)
	if err != nil {
		return nil, err
	}
	d := &datSide{cfg: cfg, waits: cfg.Mode == "wait", burst: cfg.burst()}
	d.start = d.starter()
	var async dat.EVDHandle
	if ret := dat.IAOpen(name, 16, &async, &d.ia); ret != dat.Success {
		return nil, ret
	}
	if err := d.fill(ctx, address); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *datSide) close() error { return dat.IAClose(d.ia, dat.CloseAbruptFlag).Err() }

func (d *datSide) fill(ctx context.Context, address string) error {
	c := d.cfg
	var pz dat.PZHandle
	var conn dat.EVDHandle
	reads := dat.Count(min(c.Depth, 128))
	attr := dat.EPAttr{
		MaxMessageSize: 1 << 31, MaxRDMASize: 1 << 31, MaxRecvDTOS: dat.Count(c.recvDepth()), MaxRequestDTOS: dat.Count(c.sendDepth()),
		RecvCompletionFlags: dat.CompletionEVDThresholdFlag, RequestCompletionFlags: dat.CompletionEVDThresholdFlag,
		MaxRecvIOV: 1, MaxRequestIOV: 1, MaxRDMAReadIOV: 1, MaxRDMAWriteIOV: 1, MaxRDMAReadIn: reads, MaxRDMAReadOut: reads,
		SRQSoftHW: dat.HWDefault,
	}
	for _, ret := range []func() dat.Return{
		func() dat.Return { return dat.PZCreate(d.ia, &pz) },
		func() dat.Return {
			return dat.EVDCreate(d.ia, dat.Count(c.sendDepth()), dat.HandleNull, dat.EVDDTOFlag, &d.done)
		},
		func() dat.Return {
			return dat.EVDCreate(d.ia, dat.Count(c.recvDepth()), dat.HandleNull, dat.EVDDTOFlag, &d.came)
		},
		func() dat.Return { return dat.EVDCreate(d.ia, 8, dat.HandleNull, dat.EVDConnectionFlag, &conn) },
		func() dat.Return { return dat.EPCreate(d.ia, pz, d.came, d.done, conn, &attr, &d.ep) },
	} {
		if r := ret(); r != dat.Success {
			return r
		}
	}
	own, err := d.register(pz, c.Depth*c.stride())
	if err != nil {
		return err
	}
	shared, err := d.register(pz, c.Depth*c.stride())
	if err != nil {
		return err
	}
	in, err := d.register(pz, max(1, c.recvs())*c.stride())
	if err != nil {
		return err
	}
	for i := range c.recvs() {
		d.incoming = append(d.incoming, in.at(i*c.stride(), c.Size))
		if ret := d.receive(uint64(i)); ret != dat.Success {
			return ret
		}
	}
	if err := d.connect(ctx, conn, address, shared); err != nil {
		return err
	}
	for i := range c.Depth {
		d.iov = append(d.iov, []dat.LMRTriplet{own.at(i*c.stride(), c.Size)})
		d.to = append(d.to, d.remote(i*c.stride(), c.Size))
	}
	return nil
}

// connect connects; the private data carry the address of each side's memory.
func (d *datSide) connect(ctx context.Context, conn dat.EVDHandle, address string, shared datMemory) error {
	where, err := mem.Remote{Key: mem.Key(shared.rmr), Addr: uint64(shared.addr), Length: uint64(shared.size)}.MarshalBinary()
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	service, err := strconv.ParseUint(port, 10, 64)
	if err != nil {
		return err
	}
	if ret := dat.EPConnect(d.ep, &net.IPAddr{IP: net.ParseIP(host)}, dat.ConnQual(service), 10e6,
		dat.Count(len(where)), where, dat.QOSBestEffort, dat.ConnectDefaultFlag); ret != dat.Success {
		return ret
	}
	var more dat.Count
	if ret := dat.EVDWaitContext(ctx, conn, dat.TimeoutInfinite, 1, &d.ev, &more); ret != dat.Success {
		return ret
	}
	if d.ev.EventNumber != dat.ConnectionEventEstablished {
		return fmt.Errorf("connecting ended with %v", d.ev.EventNumber)
	}
	if d.cfg.Take > 1 {
		if d.ahead = dat.EVDAhead(d.done, d.cfg.Take); d.ahead == nil {
			return fmt.Errorf("completions cannot be taken ahead")
		}
	}
	d.acked = d.cfg.Path == "loop"
	gives, far, err := readTerms(d.ev.EventData.ConnectEventData.PrivateData)
	if gives {
		return fmt.Errorf("sends cannot be measured with -api dat here: a message that finds no receive would end the connection")
	}
	d.far = far
	return err
}

// datMemory is registered memory.
type datMemory struct {
	addr dat.Vaddr
	size dat.Vlen
	lmr  dat.LMRContext
	rmr  dat.RMRContext
}

func (d *datSide) register(pz dat.PZHandle, n int) (m datMemory, err error) {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	var h dat.LMRHandle
	ret := dat.LMRCreate(d.ia, dat.MemTypeVirtual, dat.RegionDescription{ForVA: b}, dat.Vlen(n), pz,
		dat.MemPrivAllFlag|dat.IBMemPrivRemoteAtomic, &h, &m.lmr, &m.rmr, &m.size, &m.addr)
	return m, ret.Err()
}

func (m *datMemory) at(off, n int) dat.LMRTriplet {
	return dat.LMRTriplet{LMRContext: m.lmr, VirtualAddress: m.addr + dat.Vaddr(off), SegmentLength: dat.Vlen(n)}
}

func (d *datSide) remote(off, n int) dat.RMRTriplet {
	return dat.RMRTriplet{RMRContext: dat.RMRContext(d.far.Key), TargetAddress: dat.Vaddr(d.far.Addr) + dat.Vaddr(off), SegmentLength: dat.Vlen(n)}
}

func (d *datSide) receive(number uint64) dat.Return {
	return dat.EPPostRecv(d.ep, 1, d.incoming[number:number+1], dat.Context{As64: number}, 0)
}

// starter selects the call once, so that the selection is not measured with each operation.
func (d *datSide) starter() func(place uint32) dat.Return {
	cookie := func(place uint32) dat.Context { return dat.Context{As64: uint64(place)} }
	switch d.cfg.Op {
	case "send":
		return func(i uint32) dat.Return { return dat.EPPostSend(d.ep, 1, d.iov[i], cookie(i), 0) }
	case "write":
		return func(i uint32) dat.Return { return dat.EPPostRDMAWrite(d.ep, 1, d.iov[i], cookie(i), &d.to[i], 0) }
	case "read":
		return func(i uint32) dat.Return { return dat.EPPostRDMARead(d.ep, 1, d.iov[i], cookie(i), &d.to[i], 0) }
	default:
		return func(i uint32) dat.Return {
			return dat.IBPostFetchAndAdd(d.ep, 1, &d.iov[i][0], cookie(i), &d.to[i], 0)
		}
	}
}

// next takes one completion into d.ev.
func (d *datSide) next(h dat.EVDHandle) error {
	if d.waits {
		var more dat.Count
		return d.good(dat.EVDWait(h, dat.TimeoutInfinite, 1, &d.ev, &more))
	}
	for {
		for range d.burst {
			if h == d.done && d.ahead != nil {
				if ok, err := d.nextAhead(); ok || err != nil {
					return err
				}
			} else if ret := dat.EVDDequeue(h, &d.ev); ret.Type() != dat.QueueEmpty {
				return d.good(ret)
			}
		}
		runtime.Gosched()
	}
}

// nextAhead is next, of completions that were taken many at a time.
func (d *datSide) nextAhead() (ok bool, err error) {
	if d.at == d.taken {
		n, _, ret := d.ahead.Take()
		if n == 0 {
			if ret.Type() == dat.QueueEmpty {
				return false, nil
			}
			return false, ret
		}
		d.at, d.taken = 0, n
	}
	d.ahead.Event(d.at, &d.ev)
	d.at++
	return true, d.good(dat.Success)
}

// good is nil if an operation succeeded.
func (d *datSide) good(ret dat.Return) error {
	if ret != dat.Success {
		return ret
	}
	if s := d.ev.EventData.DTOCompletionEventData.Status; s != dat.DTOSuccess {
		return fmt.Errorf("an operation ended with %v", s)
	}
	return nil
}
