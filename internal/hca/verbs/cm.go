package verbs

import (
	"sync"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// cm reads the connection manager's events for one adapter.
type cm struct {
	lib *ibv.Lib
	ch  ibv.EventChannel
	d   *descriptor

	// reading is held while an event is read. Reading changes the state of the queue
	// pair of the event's identifier, which therefore must not be destroyed meanwhile.
	reading sync.Mutex

	// mu guards ids, the identifiers whose events are handled here.
	mu  sync.Mutex
	ids map[ibv.ID]cmHandler
}

// cmHandler takes the events of an identifier, on the reader's goroutine. It
// must not block.
type cmHandler interface {
	cmEvent(ev *ibv.CMEvent)
}

func openCM(a *adapter) (*cm, error) {
	ch, e := a.lib.CreateEventChannel()
	if e != 0 {
		return nil, noManager(a.dev.name, e)
	}
	c := &cm{lib: a.lib, ch: ch, ids: map[ibv.ID]cmHandler{}}
	d, err := watch("rdma_cm", ch.FD(), c.next)
	if err != nil {
		a.lib.DestroyEventChannel(ch)
		return nil, err
	}
	c.d = d
	return c, nil
}

func (c *cm) close() {
	c.d.close()
	c.lib.DestroyEventChannel(c.ch)
}

// next reads one event and gives it to its handler.
func (c *cm) next() ibv.Errno {
	c.reading.Lock()
	ev, e := c.lib.GetCMEvent(c.ch)
	c.reading.Unlock()
	if e != 0 {
		return e
	}
	id := ev.ID
	if ev.Type == ibv.CMConnectRequest {
		id = ev.ListenID
	}
	// Find the handler before the event is acknowledged: afterwards the identifier can
	// be destroyed, and a new one may get its address.
	c.mu.Lock()
	h := c.ids[id]
	c.mu.Unlock()
	c.lib.AckCMEvent(ev)
	switch {
	case h != nil:
		h.cmEvent(&ev)
	case ev.Type == ibv.CMConnectRequest: // the listener has gone
		c.lib.DestroyID(ev.ID)
	}
	return 0
}

// cmID is an identifier that the adapter owns and destroys.
type cmID struct {
	ibv.ID
	cm   *cm
	once sync.Once
}

// create makes an identifier whose events go to h.
func (c *cm) create(h cmHandler) (*cmID, ibv.Errno) {
	id, e := c.lib.CreateID(c.ch, 0, ibv.PortSpaceTCP)
	if e != 0 {
		return nil, e
	}
	return c.adopt(id, h), 0
}

// adopt takes over an identifier that came with a request.
func (c *cm) adopt(id ibv.ID, h cmHandler) *cmID {
	c.direct(id, h)
	return &cmID{ID: id, cm: c}
}

// direct sends an identifier's events to h.
func (c *cm) direct(id ibv.ID, h cmHandler) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids[id] = h
}

// takeQP detaches the queue pair from the identifier, so that it can be destroyed
// while other events are read. Destroying it may take long.
func (i *cmID) takeQP() {
	i.cm.reading.Lock()
	defer i.cm.reading.Unlock()
	i.TakeQP()
}

// close destroys the identifier, once. Its queue pair is destroyed before.
func (i *cmID) close() {
	i.once.Do(func() {
		i.cm.mu.Lock()
		delete(i.cm.ids, i.ID)
		i.cm.mu.Unlock()
		i.cm.lib.DestroyID(i.ID)
	})
}
