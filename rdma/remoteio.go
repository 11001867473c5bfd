package rdma

import (
	"context"
	"fmt"
	"io"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

const (
	// bounceChunk is the size of a transfer of ReaderAt and WriterAt, bounceChunks the number
	// of transfers in flight.
	bounceChunk  = 256 << 10
	bounceChunks = 4
)

// ReaderAt reads remote memory through the connection's own buffers, with several reads in
// flight. Offsets are relative to remote; beyond its end ReadAt returns io.EOF. ReadAt may be
// called concurrently. It ends with ctx, as [Conn.Read] does, and with the connection. The
// adapter never owns the caller's slice.
func (c *Conn) ReaderAt(ctx context.Context, remote mem.Remote) io.ReaderAt {
	return &remoteIO{c, ctx, remote}
}

// WriterAt writes remote memory through the connection's own buffers, with several writes in
// flight. Bytes that do not fit after the offset are not written, and the error is ErrLength.
// For all else see ReaderAt; for what success proves see [Conn.Acked].
func (c *Conn) WriterAt(ctx context.Context, remote mem.Remote) io.WriterAt {
	return &remoteIO{c, ctx, remote}
}

// remoteIO implements ReaderAt and WriterAt.
type remoteIO struct {
	c      *Conn
	ctx    context.Context
	remote mem.Remote
}

func (r *remoteIO) ReadAt(p []byte, off int64) (int, error) {
	const op = "read remote memory"
	n, err := r.part(op, len(p), off)
	if err != nil {
		return 0, err
	}
	done, err := r.transfer(op, p[:n], off, false)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return done, err
}

func (r *remoteIO) WriteAt(p []byte, off int64) (int, error) {
	const op = "write remote memory"
	n, err := r.part(op, len(p), off)
	if err != nil {
		return 0, err
	}
	done, err := r.transfer(op, p[:n], off, true)
	if err == nil && n < len(p) {
		err = hca.NewError(hca.Length, op, r.c.session.object(), fmt.Sprintf("%d bytes at offset %d do not fit into %d", len(p), off, r.remote.Length))
	}
	return done, err
}

// part is the number of the n bytes at off that are inside the remote memory.
func (r *remoteIO) part(op string, n int, off int64) (int, error) {
	if err := r.remote.Err(); err != nil {
		return 0, r.c.session.refused(op, err)
	}
	if off < 0 {
		return 0, hca.NewError(hca.Invalid, op, r.c.session.object(), fmt.Sprintf("offset %d is negative", off))
	}
	if uint64(off) >= r.remote.Length {
		return 0, nil
	}
	return int(min(uint64(n), r.remote.Length-uint64(off))), nil
}

// chunk is one transfer in flight.
type chunk struct {
	op   *pendingOp
	lent mem.Slice
	p    []byte
}

// transfer moves p in chunks and returns how many bytes from the start of p are done.
func (r *remoteIO) transfer(op string, p []byte, off int64, write bool) (int, error) {
	sess := r.c.session
	at := mem.Remote{Key: r.remote.Key, Addr: r.remote.Addr + uint64(off), Length: uint64(len(p))}
	size := int(min(bounceChunk, sess.maxTransfer))
	var flying [bounceChunks]chunk // a ring
	started, ended, done := 0, 0, 0
	var failed error
	for failed == nil && len(p) > 0 || ended < started {
		if failed == nil && len(p) > 0 && started-ended < bounceChunks {
			n := min(size, len(p))
			ch, err := r.start(op, p[:n], at.Slice(0, n), write)
			if err == nil {
				flying[started%bounceChunks] = ch
				started++
				p, at = p[n:], mem.Remote{Key: at.Key, Addr: at.Addr + uint64(n), Length: at.Length - uint64(n)}
				continue
			}
			failed = err
			continue
		}
		err := r.end(op, &flying[ended%bounceChunks], write, failed == nil)
		ended++
		if err == nil && failed == nil {
			done += len(flying[(ended-1)%bounceChunks].p)
		} else if failed == nil {
			failed = err
		}
	}
	return done, failed
}

func (r *remoteIO) start(op string, p []byte, at mem.Remote, write bool) (chunk, error) {
	sess := r.c.session
	if over(r.ctx) {
		return chunk{}, contextError(r.ctx, op, sess.object(), "")
	}
	lent, err := sess.bounce.get()
	if err != nil {
		return chunk{}, sess.refused(op, err)
	}
	var wr hca.SendWR
	if write {
		copy(lent.Bytes(), p)
		err = sess.fillWrite(&wr, &Write{From: lent.Slice(0, len(p)), To: at}, nil)
	} else {
		err = sess.fillRead(&wr, &Read{Into: lent.Slice(0, len(p)), From: at}, nil)
	}
	if err != nil {
		sess.bounce.put(lent)
		return chunk{}, sess.refused(op, err)
	}
	pending := sess.pending.open(sess.sendQ)
	pending.lent, pending.lender = lent, &sess.bounce
	if err := sess.postPending(r.ctx, op, pending, wr); err != nil {
		return chunk{}, err
	}
	return chunk{pending, lent, p}, nil
}

// end waits for a chunk. If the wait is abandoned, the chunk's memory returns to the pool when
// its operation completes.
func (r *remoteIO) end(op string, ch *chunk, write, wanted bool) error {
	sess := r.c.session
	if !ch.op.await(r.ctx) {
		return contextError(r.ctx, op, sess.object(), "")
	}
	done := ch.op.c
	err := sess.opError(r.ctx, op, &done)
	if err == nil && wanted && !write {
		copy(ch.p, ch.lent.Bytes())
		if ch.lent.Bytes() == nil { // freed meanwhile: the copied bytes may be invalid
			err = hca.NewError(hca.Closed, op, sess.object(), "its connection was given up before the bytes were taken")
		}
	}
	sess.pending.close(ch.op)
	return err
}
