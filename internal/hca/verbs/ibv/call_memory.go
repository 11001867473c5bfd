package ibv

// AllocPD is ibv_alloc_pd.
func (l *Lib) AllocPD(c Context) (PD, Errno) {
	p, e := call1(l.allocPD, c).pointer()
	return PD(p), e
}

// DeallocPD is ibv_dealloc_pd.
func (l *Lib) DeallocPD(p PD) Errno { return call1(l.deallocPD, p).verbs() }

// RegMR is ibv_reg_mr. The memory must stay mapped where it is until DeregMR:
// it must be pinned if it is of the Go heap.
func (l *Lib) RegMR(p PD, addr uintptr, length int, access Access) (MR, Errno) {
	m, e := call(l.regMR, uintptr(p), addr, uintptr(length), uintptr(access), 0).pointer()
	return MR(m), e
}

// DeregMR is ibv_dereg_mr.
func (l *Lib) DeregMR(m MR) Errno { return call1(l.deregMR, m).verbs() }

// AllocMW is ibv_alloc_mw. It is EOPNOTSUPP where the device has no windows.
func (l *Lib) AllocMW(p PD, t MWType) (MW, Errno) {
	fn := at[contextLayout](p.Context()).ops.allocMW
	if fn == 0 {
		return 0, EOPNOTSUPP
	}
	m, e := call2(fn, p, uintptr(t)).pointer()
	return MW(m), e
}

// DeallocMW is ibv_dealloc_mw.
func (l *Lib) DeallocMW(m MW) Errno {
	return call1(at[contextLayout](at[mwLayout](m).context).ops.deallocMW, m).verbs()
}
