module github.com/godapl/godapl/compat/dat/provider

go 1.26.0

require (
	github.com/godapl/godapl v0.0.0
	go.uber.org/goleak v1.3.0
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/gopacket/gopacket v1.7.7 // indirect
	golang.org/x/net v0.55.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/godapl/godapl => ../../..
