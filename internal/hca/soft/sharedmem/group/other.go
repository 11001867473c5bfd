//go:build !linux

package group

import "github.com/godapl/godapl/internal/shm"

func (g *Group) listen() error { return shm.ErrUnsupported }
func (g *Group) unlisten()     {}
func (g *Group) depart()       {}
func (g *Group) hear()         {}

func (b *Board) listen() error { return shm.ErrUnsupported }
func (b *Board) unlisten()     {}
