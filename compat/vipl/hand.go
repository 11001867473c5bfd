package vipl

// hand says whether a waiter has perhaps taken a completion that it has not noted. The lock of its queue guards it.
type hand struct {
	full bool
	wait chan struct{} // closed when it is empty; nil: nobody waits for that
}

// noted returns what ends when the hand is empty, nil if it is.
func (h *hand) noted() <-chan struct{} {
	if h.full && h.wait == nil {
		h.wait = make(chan struct{})
	}
	return h.wait
}

func (h *hand) empty() {
	h.full = false
	if h.wait != nil {
		close(h.wait)
		h.wait = nil
	}
}

// taken is called between taking and noting a completion. Only tests set it.
var taken func()

// sleeps is called when a waiter has found nothing and is about to sleep: before its hand may be full, and behind that.
// Only tests set it.
var sleeps func(full bool)

// beforeSleep calls it.
func beforeSleep(full bool) {
	if sleeps != nil {
		sleeps(full)
	}
}
