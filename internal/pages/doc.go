// Package pages tells what the pages under a slice of memory allow. It asks the kernel:
// nothing is written, and what Go knows of its memory does not matter.
//
// The ways, of which the first that the system has is taken:
//
//   - The PROCMAP_QUERY call on /proc/self/maps (Linux 6.11). It looks the mapping of an
//     address up, so its cost does not grow with the number of mappings, and it touches
//     no page.
//   - madvise with MADV_POPULATE_READ and MADV_POPULATE_WRITE (Linux 5.14), for ranges of
//     up to 1 MiB. It faults the pages in as a read or a write would, so memory that was
//     never touched is there afterwards. It is believed when it says yes.
//   - The text of /proc/self/maps. Its cost grows with the number of mappings: with
//     10 000 of them it takes milliseconds.
//
// Of a mapped file, pages behind its end allow nothing. The end is looked for at the last
// page of each mapping, where MADV_POPULATE_READ is there.
//
// An answer holds for the moment. The program can take rights away from its pages, unmap
// them or cut their file off at any time afterwards. Other systems than Linux are not
// asked: every need is met there.
package pages
