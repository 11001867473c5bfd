package rdma

import "github.com/godapl/godapl/internal/hca"

// poster takes the posts of a link: once it is connected the connection's own, if it has one,
// which is a step shorter, and else the queue pair's.
func (l *link) poster() hca.Poster {
	if l.direct.Load() {
		return l.path
	}
	return l.queue
}

// posterOf is a queue pair as what takes posts.
func posterOf(qp hca.QP) hca.Poster {
	if p, ok := qp.(hca.Poster); ok {
		return p
	}
	return unplain{qp}
}

// unplain gives a queue pair that has no plain form of posts one.
type unplain struct{ hca.QP }

func (q unplain) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
}

func (q unplain) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
}
