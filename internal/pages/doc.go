// Package pages reports what the pages under a slice of memory allow. It asks the
// kernel: nothing is written, and Go's knowledge of its memory is not used.
//
// The methods; the first that the system has is used:
//
//   - The PROCMAP_QUERY call on /proc/self/maps (Linux 6.11). It looks up the
//     mapping of an address, so its cost does not grow with the number of
//     mappings, and it touches no page.
//   - madvise with MADV_POPULATE_READ and MADV_POPULATE_WRITE (Linux 5.14), for
//     ranges of up to 1 MiB. It faults the pages in like a read or a write, so
//     memory that was never touched is resident afterwards. Only a positive
//     answer is used.
//   - The text of /proc/self/maps. Its cost grows with the number of mappings:
//     with 10 000 of them it takes milliseconds.
//
// Pages behind the end of a mapped file allow nothing. With MADV_POPULATE_READ, the
// last page of each mapping is checked for that.
//
// An answer holds for the moment. The program can take rights away from its pages,
// unmap them or truncate their file at any time. On systems other than Linux every
// check succeeds.
package pages
