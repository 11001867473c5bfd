// Package dat is uDAPL, call by call, on top of packages rdma, rdma/event and
// rdma/mem: for programs that were written against the C interface, and for
// programmers who know it. New programs should use package rdma.
//
// # Names
//
// A name of C becomes a name here by one rule: drop dat_ or DAT_, split at the
// underscores, write every word with a capital, and join them. These words are
// capitals throughout:
//
//	AH CM CNO CR CSP DCNT DTO DTOS EP EPS EVD EVDS FD FMR HA HW IA IB ID IOV IW
//	LB LMR LMRS LW MM MTU MW PSP PZ PZS QOS RC RDMA RMR RMRS RO RSP SE SO SP SRQ
//	SRQS SSP TEP TEVD UD VA ZB
//
// So dat_evd_wait is [EVDWait], DAT_MEM_PRIV_ALL_FLAG is [MemPrivAllFlag],
// DAT_EVD_HANDLE is [EVDHandle], the member max_recv_dtos is MaxRecvDTOS. Members
// keep a dat_ that they begin with: dat_handle is DatHandle. One word is an exception:
// strerror is [StrError]. A script can replace the names; structures, casts, arrays of
// segments and output need hands: see docs/udapl.md.
//
// # Arguments and results
//
// Arguments have the order of C. Results that C returns through a pointer are returned
// through a pointer here. The pointer may be nil where C allows NULL; elsewhere nil is
// [InvalidParameter] with the number of the argument. An array is a slice, next to its
// count; a void pointer to memory is a []byte. The result is a [Return].
//
//	ret := dat.EVDWait(evd, dat.TimeoutInfinite, 1, &event, &nmore)
//	if ret != dat.Success { … }
//
// A Return is the number that C has, class, type and subtype. It is an error as
// well: its text says what to do, and errors.Is(ret, dat.InvalidState) compares
// types. [Return.Err] is nil for success.
//
// # Handles
//
// A handle is a number that belongs to one object for ever. A handle of a freed object
// or of another kind is [InvalidHandle], and does no harm; so is a handle that belongs
// to another open adapter than the other arguments. [HandleNull] is 0, and
// [EVDAsyncExists] and [EVDOutOfScope] are 1 and 2 as in C.
//
// # Memory
//
// The memory behind for_va and similar members is a []byte. It is pinned while it is
// registered. [VaddrOf] returns its address, for triplets. mem.OpenShared returns memory
// that processes share.
//
// # Versions
//
// The numbers and the semantics are those of 1.2. What 2.0 adds is here under the
// names of 2.0. Where 1.0 or 2.0 have other arguments for a call of 1.2, that form
// ends in 10 or 20: [LMRCreate20]. Where a number of 2.0 means something else in
// 1.2, the constant has a free number here, and its comment tells 2.0's.
//
// # Concurrency
//
// Every call may be made from any goroutine at any time, which is more than C
// promises. These calls block: [EVDWait] and [CNOWait]; [IAOpen], [IAClose], [EPFree],
// [EPReset], [PSPCreate], [PSPFree] and similar ones for a bounded time. An agent may
// make all other calls. An agent runs on a goroutine of its own with no lock held, once
// per attachment.
//
// # Extensions
//
// C does not have these:
//
//   - [EVDWaitContext] and [CNOWaitContext] are waits that also end with a context:
//     [InterruptedCall].
//   - [VaddrOf] is the address of a []byte, which in C is a cast.
//   - [RegistryAddLibrary] makes a provider of the program known under the path that
//     dat.conf has for it. C loads the library from there.
//   - [EVDAhead] takes many completions at once, for a caller that keeps them and gives
//     them out: [Ahead].
//   - [EVDPending] keeps a flag that tells whether a dequeue may find an event.
//   - [NewSleeper] makes a [Sleeper], which waits for a thread that sleeps outside of Go.
//
// The last three are for C libraries that are written in Go, since a call from C to Go is
// expensive there.
package dat
