package group

// boardHandler handles a board's doorbell in the adapter's poller. The poller looks until nothing comes any more. As long
// as it does, nobody rings.
type boardHandler struct{ b *Board }

func (h *boardHandler) Event(uint32) (again bool) { return h.Continue() }

func (h *boardHandler) Continue() (again bool) { return h.b.look() || h.b.arm() }

func (h *boardHandler) SetPending(bool) {}
func (h *boardHandler) ToEngine()       { h.b.arm() }

// listen lets the adapter's poller hear the doorbell.
func (b *Board) listen() error { return b.hearBy(&b.a.Background.Poller, &boardHandler{b}) }

// unlisten undoes listen. The caller holds mu.
func (b *Board) unlisten() { b.a.Background.Poller.Remove(b.event) }
