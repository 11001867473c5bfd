// Package stream is the path over byte streams: iWARP over TCP, or over a fabric that the
// program supplies. It talks to peers of this library, to the Linux siw driver and to iWARP
// hardware.
//
//	listening, connecting  listen.go refused.go accept.go connect.go service.go path.go, and packages halfopen and neterr
//	a connection           conn.go post.go
//	sending                tx_group.go tx_request.go tx_buffer.go tx_marks.go tx_coalesce.go
//	receiving              rx.go rx_buffer.go rx_message.go rx_request.go rx_stall.go rx_eof.go
//	a call that waits      park.go
//	both, short messages   fastpath.go
//	peers' habits          peer_ident.go siw_nudge.go fpdu_align.go idletimeout.go
//	segment sizes          mss_linux.go, for other systems wire_other.go
//	the end                close.go close_terminate.go readfault.go
//	bytes                  sys_wire_linux.go wire_secure_linux.go wire_other.go, and package wire below this one
//	TLS                    tls.go, and package secure below this one
//	captures               capture.go, and package captured
//
// Two gates guard the two halves of a connection: the queue pair's (sending) and the
// connection's (receiving). The halves communicate through two queues (sharedState in conn.go) and
// never wait for each other.
//
// A line of code in this package may touch the stream, the buffers of frames, and, through
// package core, the queue pair of the connection. Bytes of the stream are read inside the
// receive gate and written inside the send gate, and neither blocks. Nothing that comes from
// the peer is used before the codec (package iwarp) and the key table have checked it. The
// package imports no other path.
package stream
