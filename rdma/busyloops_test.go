package rdma_test

import (
	"context"
	"runtime"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// busyShapes are the loops of servers.
var busyShapes = map[string]busyShape{
	"receives alone": {few: true, serve: pollReceives},
	"set":            {clients: 1, serve: waitSet},
	"set of many":    {serve: waitSet},
	"set of two":     {shared: true, serve: waitSet},
	"channels":       {clients: 1, serve: selectTwo},
	"one queue":      {shared: true, one: true, serve: waitBatches},
	"one polled":     {shared: true, one: true, serve: pollOne},
	"one channel":    {shared: true, one: true, serve: receiveOne},
	"threshold":      {shared: true, serve: threshold},
	"threshold set":  {serve: thresholdSet},
}

// queues are the dispatchers of all queues.
func (s *busyServer) queues() (recvs, sends []*event.Dispatcher[rdma.Completion]) {
	if s.recvs != nil {
		recvs = append(recvs, s.recvs.Dispatcher())
		if s.sends != s.recvs {
			sends = append(sends, s.sends.Dispatcher())
		}
		return recvs, sends
	}
	for _, c := range s.conns {
		recvs, sends = append(recvs, c.RecvCompletions()), append(sends, c.SendCompletions())
	}
	return recvs, sends
}

// pollReceives never looks at its own sends.
func pollReceives(ctx context.Context, s *busyServer) error {
	var list [16]rdma.Completion
	recvs, _ := s.queues()
	for !s.done() && ctx.Err() == nil {
		some := 0
		for _, d := range recvs {
			k := d.Poll(list[:])
			if err := s.answer(list[:k]); err != nil {
				return err
			}
			some += k
		}
		if some == 0 {
			runtime.Gosched()
		}
	}
	return ctx.Err()
}

// set is a set of all queues.
func (s *busyServer) set() (*event.Set, error) {
	set := event.NewSet()
	recvs, sends := s.queues()
	for _, d := range append(recvs, sends...) {
		if err := set.Add(d); err != nil {
			return nil, err
		}
	}
	return set, nil
}

func waitSet(ctx context.Context, s *busyServer) error {
	set, err := s.set()
	if err != nil {
		return err
	}
	defer set.Close()
	var list [16]rdma.Completion
	for !s.done() {
		ready, err := set.Wait(ctx)
		if err != nil {
			return err
		}
		k := ready.(*event.Dispatcher[rdma.Completion]).Poll(list[:])
		if err := s.answer(list[:k]); err != nil {
			return err
		}
	}
	return nil
}

func selectTwo(ctx context.Context, s *busyServer) error {
	recvs, sends := s.conns[0].RecvCompletions(), s.conns[0].SendCompletions()
	defer recvs.StopChan()
	defer sends.StopChan()
	for !s.done() {
		var c [1]rdma.Completion
		select {
		case c[0] = <-recvs.C():
		case c[0] = <-sends.C():
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := s.answer(c[:]); err != nil {
			return err
		}
	}
	return nil
}

func waitBatches(ctx context.Context, s *busyServer) error {
	var list [16]rdma.Completion
	for !s.done() {
		k, err := s.recvs.Dispatcher().WaitBatch(ctx, list[:])
		if err != nil {
			return err
		}
		if err := s.answer(list[:k]); err != nil {
			return err
		}
	}
	return nil
}

func pollOne(ctx context.Context, s *busyServer) error {
	var list [16]rdma.Completion
	for !s.done() && ctx.Err() == nil {
		k := s.recvs.Dispatcher().Poll(list[:])
		if k == 0 {
			runtime.Gosched()
		}
		if err := s.answer(list[:k]); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func receiveOne(ctx context.Context, s *busyServer) error {
	d := s.recvs.Dispatcher()
	defer d.StopChan()
	for !s.done() {
		select {
		case c := <-d.C():
			if err := s.answer([]rdma.Completion{c}); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// threshold waits until each client has a request there.
func threshold(ctx context.Context, s *busyServer) error {
	recvs, sends := s.recvs.Dispatcher(), s.sends.Dispatcher()
	var list [busyClients]rdma.Completion
	for !s.done() {
		first, more, err := recvs.Wait(ctx, s.due())
		if err != nil {
			return err
		}
		list[0] = first
		k := 1 + recvs.Poll(list[1:])
		if k != 1+more {
			s.t.Errorf("%d completions, and %d more were told of", k, more)
		}
		if err := s.answer(list[:k]); err != nil {
			return err
		}
		if err := s.answer(list[:sends.Poll(list[:])]); err != nil { // takes them
			return err
		}
	}
	return nil
}

// thresholdSet waits until there is an event for each client, wherever.
func thresholdSet(ctx context.Context, s *busyServer) error {
	set, err := s.set()
	if err != nil {
		return err
	}
	defer set.Close()
	var list [16]rdma.Completion
	recvs, sends := s.queues()
	for !s.done() {
		if _, err := set.WaitThreshold(ctx, s.due()); err != nil {
			return err
		}
		for _, d := range append(recvs, sends...) {
			if err := s.answer(list[:d.Poll(list[:])]); err != nil {
				return err
			}
		}
	}
	return nil
}
