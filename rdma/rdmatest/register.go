package rdmatest

import (
	"context"
	"fmt"
	"slices"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// RegisterFaulty registers an adapter called name: the adapter called below, with faults.
// remove unregisters it; open adapters stay open. ErrNotFound if there is no adapter called
// below, ErrExists if name is taken.
func RegisterFaulty(name, below string, f *Faults) (remove func(), err error) {
	switch names := rdma.Adapters(); {
	case f == nil:
		return nil, hca.NewError(hca.Invalid, "register", name, "there are no Faults")
	case slices.Contains(names, name):
		return nil, hca.NewError(hca.Exists, "register", name, "choose another name")
	case !slices.Contains(names, below):
		return nil, hca.NewError(hca.NotFound, "register", name, fmt.Sprintf("there is no adapter %q to put faults into", below))
	}
	return hca.AddDriver(&driver{name: name, below: below, faults: f}), nil
}

// driver opens adapters with faults.
type driver struct {
	name, below string
	faults      *Faults
	host        *Host // nil: of no world
}

func (d *driver) Names() []string { return []string{d.name} }

func (d *driver) Open(ctx context.Context, _ string, opt hca.Options) (hca.Adapter, error) {
	if err := d.faults.of(Open); err != nil {
		return nil, err
	}
	a := &adapter{faults: d.faults}
	if tell := opt.Async; tell != nil {
		opt.Async = func(ev hca.AsyncEvent) {
			if q, ok := a.outer.Load(ev.Object); ok {
				ev.Object = q
			} else if q, ok := ev.Object.(*worldQP); ok {
				ev.Object = q.owner
			}
			tell(ev)
		}
	}
	driver, ok := hca.Drivers()[d.below]
	if !ok {
		return nil, hca.NewError(hca.NotFound, "open", d.name, fmt.Sprintf("the adapter below, %q, is gone", d.below))
	}
	below, err := driver.Open(ctx, d.below, opt)
	if err != nil {
		return nil, err
	}
	a.Adapter, a.attr = below, *below.Attr()
	a.attr.Name = d.name
	if d.host != nil {
		a.attr.Address = d.host.name
		return a.inWorld(d.host, opt.Async), nil
	}
	return a, nil
}
