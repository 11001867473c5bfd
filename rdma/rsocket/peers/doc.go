// Package peers holds tests of package rsocket with C programs, which use the rsockets of
// librdmacm: programs of rdma-core, one of its own (testdata/peer.c), and ordinary programs for
// TCP under librspreload. There is nothing in it to import.
//
// They need devices for RDMA: siw and rxe, which Linux has as software. Programs that are not
// there, and devices, are skipped with the reason. The tests find programs by PATH:
//
//	gcc -o bin/rsocket-peer testdata/peer.c -lrdmacm
//	PATH=$PWD/bin:$PATH ./peers.test
//
// TestOutside runs on two machines at once, of which one has siw: see outsideVariable.
//
// A test cannot pass over TCP by mistake: one side is always package rsocket, which has only
// RDMA, and librspreload's TCP does not understand it.
package peers
