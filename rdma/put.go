package rdma

import (
	"github.com/godapl/godapl/internal/connput"
	"github.com/godapl/godapl/internal/hca"
)

func init() {
	connput.Put = func(conn any, from []byte, addr uint64, key uint32) bool {
		sess := conn.(*Conn).session
		p, ok := sess.poster().(hca.Putter)
		return ok && !sess.reset.Load() && p.Put(from, addr, hca.Key(key))
	}
}
