package perf

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// lists are the operations of all places, all of one kind. They are made once and
// posted repeatedly, as a program with fixed buffers does. A request that is built
// field by field right before its post and then copied stalls the processor.
type lists struct {
	sends  []rdma.Send
	writes []rdma.Write
	reads  []rdma.Read
	adds   []rdma.FetchAdd
}

// add makes the operation of the next place.
func (l *lists) add(op string, here mem.Slice, there mem.Remote, cookie uint64) {
	switch op {
	case "send":
		l.sends = append(l.sends, rdma.Send{From: here, Cookie: cookie})
	case "write":
		l.writes = append(l.writes, rdma.Write{From: here, To: there, Cookie: cookie})
	case "read":
		l.reads = append(l.reads, rdma.Read{Into: here, From: there, Cookie: cookie})
	default:
		l.adds = append(l.adds, rdma.FetchAdd{Into: here, At: there, Add: 1, Cookie: cookie})
	}
}

// post starts the operation of a place.
func (l *lists) post(op string, e *rdma.Endpoint, place uint32) error {
	switch op {
	case "send":
		return e.PostSend(l.sends[place])
	case "write":
		return e.PostWrite(l.writes[place])
	case "read":
		return e.PostRead(l.reads[place])
	default:
		return e.PostFetchAdd(l.adds[place])
	}
}

// collect adds the operation of a place to a batch.
func (l *lists) collect(op string, b *rdma.Batch, place uint32) error {
	switch op {
	case "send":
		return b.Send(l.sends[place])
	case "write":
		return b.Write(l.writes[place])
	case "read":
		return b.Read(l.reads[place])
	default:
		return b.FetchAdd(l.adds[place])
	}
}
