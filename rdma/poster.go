package rdma

import "github.com/godapl/godapl/internal/hca"

// poster takes the posts of a session: the connection's own poster once it is connected, if it
// has one, which saves an indirection; otherwise the queue pair.
func (sess *session) poster() hca.Poster {
	if sess.direct.Load() {
		return sess.path
	}
	return sess.queue
}

// posterOf returns a queue pair as a poster.
func posterOf(qp hca.QP) hca.Poster {
	if p, ok := qp.(hca.Poster); ok {
		return p
	}
	return unplain{qp}
}

// unplain adds the plain form of posts to a queue pair that lacks it.
type unplain struct{ hca.QP }

func (q unplain) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
}

func (q unplain) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
}
