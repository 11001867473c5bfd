package vipl

import (
	"context"
	"sync"

	"github.com/godapl/godapl/compat/internal/table"
	"github.com/godapl/godapl/rdma"
)

// nic is an open NIC.
type nic struct {
	handle  NICHandle
	name    string
	adapter *rdma.Adapter
	attr    rdma.Attributes
	host    []byte // the NIC's address
	ownTag  *ptag
	memory  table.Keys[region]
	ctx     context.Context // ends with the NIC
	cancel  context.CancelFunc
	errors  reporter
	doors   doors
	work    sync.WaitGroup // see start

	depth, segments uint32 // see limits

	mu      sync.Mutex
	closed  bool
	objects map[uint64]func() // ends each object when the NIC is closed
	regions map[*region]struct{}
	names   nameService
}

// OpenNic opens a NIC (VipOpenNic): an adapter of package rdma by its name, or by a name that a
// file gives it, as in "/dev/via_lo  soft-loop". The environment variable GODAPL_VINICS names the
// file, or it is /etc/vinics, which need not exist. Every open has objects of its own. It may block
// while a device is set up. InvalidParameter if there is no such adapter.
func OpenNic(deviceName string, nicHandle *NICHandle) Return {
	if nicHandle == nil {
		return InvalidParameter
	}
	*nicHandle = 0
	if deviceName == "" {
		return InvalidParameter
	}
	n := &nic{name: deviceName, objects: map[uint64]func(){}, regions: map[*region]struct{}{}}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.errors.nic = n
	n.handle = NICHandle(nics.Reserve()) // first: the adapter may report an error as soon as it is open
	var err error
	// A message that finds no receive breaks the connection: VIA has no other way.
	n.adapter, err = open(n.ctx, deviceName, rdma.OpenConfig{Async: rdma.SinkFunc(n.asynchronous), ReceiveWait: -1})
	if err != nil {
		n.cancel()
		nics.Cancel(uint64(n.handle))
		return result(err)
	}
	zone, err := n.adapter.NewZone()
	if err != nil {
		n.cancel()
		n.adapter.Close()
		nics.Cancel(uint64(n.handle))
		return result(err)
	}
	n.attr = n.adapter.Attributes()
	n.depth, n.segments = n.limits()
	n.host = hostBytes(n.attr.Address)
	n.ownTag = &ptag{nic: n, zone: zone}
	nics.Put(uint64(n.handle), n)
	*nicHandle = n.handle
	return Success
}

// CloseNic closes a NIC and everything that was made with it (VipCloseNic): connections end,
// and handles become invalid. Calls that wait return InvalidParameter. It waits until the
// adapter no longer touches memory, and for the handlers that are running. Handlers must not
// call it.
func CloseNic(nicHandle NICHandle) Return {
	n := getNIC(nicHandle)
	if n == nil || !nics.Remove(uint64(nicHandle)) {
		return InvalidParameter
	}
	n.mu.Lock()
	n.closed = true
	objects, regions := n.objects, n.regions
	n.objects, n.regions = nil, nil
	n.mu.Unlock()
	n.errors.stop()
	n.cancel()
	for _, end := range objects {
		end()
	}
	n.adapter.Close()
	for r := range regions {
		r.unlock()
	}
	n.work.Wait()
	return Success
}

// start runs f on a goroutine that CloseNic waits for, or returns InvalidParameter if the NIC is
// closed.
func (n *nic) start(f func()) Return {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return InvalidParameter
	}
	n.work.Go(f)
	return Success
}

// add enters an object of the NIC; end is for CloseNic.
func (n *nic) add(handle uint64, end func()) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return false
	}
	n.objects[handle] = end
	return true
}

func (n *nic) forget(handle uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.objects, handle)
}

// virtual is the VIs of the NIC.
func (n *nic) virtual() (all []*vi) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for h := range n.objects {
		if v := vis.Get(h); v != nil {
			all = append(all, v)
		}
	}
	return all
}
