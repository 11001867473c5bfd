package rsocket

import "github.com/godapl/godapl/rdma/mem"

// grown is a half of as many bytes as are due in place of one that is free, or that one if there is no memory or the limit
// is reached. An entry names any memory, so a half may be anywhere.
func (c *Conn) grown(half mem.Slice) mem.Slice {
	page := mem.PageSize()
	most := c.l.cfg.MaxRing / 2 / page * page
	size := c.rx.Size(half.Len(), most)
	if size == half.Len() {
		return half
	}
	size = min((size+page-1)/page*page, most)
	if size <= half.Len() {
		return half
	}
	region, err := c.l.zone.Alloc(size, mem.Local|mem.RemoteWrite)
	if err != nil {
		return half
	}
	c.freeHalf(half)
	return region.Slice(0, size)
}

// freeHalf frees a half that has a region of its own. The peer has filled it, so no write to it is
// under way.
func (c *Conn) freeHalf(half mem.Slice) {
	if r := half.Region(); r != nil && r != c.l.open {
		_ = r.Free()
	}
}
