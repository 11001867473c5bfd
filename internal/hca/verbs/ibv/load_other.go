//go:build !linux || !(amd64 || arm64)

package ibv

func load([]library) (*Lib, error) { return nil, errElsewhere(opLoad) }
