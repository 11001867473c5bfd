package hcatest_test

import (
	"errors"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// poster takes posts for a connection, with a defect in one call.
type poster struct {
	hca.Poster
	write func(p hca.Poster, id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error
	post  func(p hca.Poster, wr hca.SendWR) error
	posts func(p hca.Poster, wrs []hca.SendWR) (int, error)
}

func (p *poster) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	if p.write != nil {
		return p.write(p.Poster, id, flags, local, remote, rkey)
	}
	return p.Poster.PostPlainWrite(id, flags, local, remote, rkey)
}

func (p *poster) PostSend(wr hca.SendWR) error {
	if p.post != nil {
		return p.post(p.Poster, wr)
	}
	return p.Poster.PostSend(wr)
}

func (p *poster) PostSends(wrs []hca.SendWR) (int, error) {
	if p.posts != nil {
		return p.posts(p.Poster, wrs)
	}
	return p.Poster.PostSends(wrs)
}

// posters makes a defect of ConnInfo.Poster. Each connection has one that f makes.
func posters(f func() *poster) func() *defect {
	return tells(func(ev hca.ConnEvent, tell func(hca.ConnEvent)) {
		if ev.Info != nil {
			info, p := *ev.Info, f()
			p.Poster = info.Poster
			info.Poster, ev.Info = p, &info
		}
		tell(ev)
	})
}

const posterOrder = "poster/posts as the queue pair does"

var brokenPosters = []broken{
	{"forgets the flags of a plain write", posters(func() *poster {
		return &poster{write: func(p hca.Poster, id uint64, _ hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
			return p.PostPlainWrite(id, 0, local, remote, rkey)
		}}
	}), []string{posterOrder}},
	{"cuts a plain write to a word", posters(func() *poster {
		return &poster{write: func(p hca.Poster, id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
			local.Len = min(local.Len, 8)
			return p.PostPlainWrite(id, flags, local, remote, rkey)
		}}
	}), []string{posterOrder}},
	{"overtakes what a poster was given", posters(func() *poster {
		var mu sync.Mutex
		var kept []hca.SendWR // one request, until the next
		return &poster{post: func(p hca.Poster, wr hca.SendWR) error {
			mu.Lock()
			defer mu.Unlock()
			if kept == nil {
				kept = append(kept, wr)
				return nil
			}
			old := kept[0]
			kept = nil
			return errors.Join(p.PostSend(wr), p.PostSend(old))
		}}
	}), []string{posterOrder, "poster/after the end"}},
	{"tells nothing of a poster's full queue", posters(func() *poster {
		return &poster{write: func(p hca.Poster, id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
			if err := p.PostPlainWrite(id, flags, local, remote, rkey); !errors.Is(err, hca.QueueFull) {
				return err
			}
			return nil
		}}
	}), []string{"poster/fills the same queue"}},
	{"tells too much of a poster's batch", posters(func() *poster {
		return &poster{posts: func(p hca.Poster, wrs []hca.SendWR) (int, error) {
			_, err := p.PostSends(wrs)
			return len(wrs), err
		}}
	}), []string{"poster/fills the same queue"}},
	{"drops a poster's request behind the end", posters(func() *poster {
		return &poster{post: func(p hca.Poster, wr hca.SendWR) error {
			if wr.Flags&hca.Suppress != 0 {
				return nil
			}
			return p.PostSend(wr)
		}}
	}), []string{"poster/after the end"}},
}
