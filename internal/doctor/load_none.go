//go:build !linux || !(amd64 || arm64) || godapl_static

package doctor

func loadLibraries() Libraries { return Libraries{Omitted: true} }
