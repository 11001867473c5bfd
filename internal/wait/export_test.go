package wait

// SetHook makes the loop call f between its steps until restore is called.
func SetHook(f func(object any, step string)) (restore func()) {
	old := hook.Swap(&f)
	return func() { hook.Store(old) }
}

// The parts of the loop, so that tests can build wrong loops on purpose.

func (c *Cell) Arm()                      { c.arm() }
func (c *Cell) Disarm()                   { c.disarm() }
func (c *Cell) Park(done <-chan struct{}) { c.park(done, nil) }
func (c *Cell) At(step string)            { at(c, step) }
func (l *MarkLock) Word() uint32          { return uint32(l.word.Load()) | l.asked.Load()<<1 }

// SetOneCPU makes bursts behave as in a process with one processor, or with several.
func SetOneCPU(one bool) (restore func()) {
	old := oneCPU
	oneCPU = one
	return func() { oneCPU = old }
}

// SetMarkLooks sets how often LockOrMark looks before it calls the kernel.
func SetMarkLooks(n int) (restore func()) {
	old := markLooks
	markLooks = n
	return func() { markLooks = old }
}

// Empty reports that nobody is counted.
func (c *Crowd) Empty() bool { return c.all.Load() == 0 && uint32(c.recent.Load()) == 0 }
