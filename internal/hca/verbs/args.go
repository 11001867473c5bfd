package verbs

import "github.com/godapl/godapl/internal/hca/verbs/ibv"

// args is the memory in which a post passes its work requests to the library.
// The library copies them, so the next post reuses the memory.
type args struct {
	wrs  *ibv.Array[ibv.SendWR]
	sges *ibv.Array[ibv.SGE]
	bind *ibv.Array[ibv.MWBind]
	bad  *ibv.Array[uintptr]
	keys []uint32 // those that binds of endpoint windows are to have
	sge  int      // segments of a request
}

func newArgs(depth, sge int) (*args, error) {
	n := min(max(depth, 1), batch)
	a := &args{sge: max(1, sge), keys: make([]uint32, n)}
	var err error
	if a.wrs, err = ibv.NewArray[ibv.SendWR](n); err != nil {
		return nil, err
	}
	if a.sges, err = ibv.NewArray[ibv.SGE](n * a.sge); err == nil {
		if a.bind, err = ibv.NewArray[ibv.MWBind](1); err == nil {
			a.bad, err = ibv.NewArray[uintptr](1)
		}
	}
	if err != nil {
		a.free()
		return nil, err
	}
	return a, nil
}

func (a *args) free() {
	if a == nil {
		return
	}
	a.wrs.Free()
	a.sges.Free()
	a.bind.Free()
	a.bad.Free()
}
