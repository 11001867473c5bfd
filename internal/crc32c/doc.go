// Package crc32c is the CRC of iWARP and iSCSI, faster than hash/crc32 where the
// processor can multiply polynomials in vectors (AVX-512 with VPCLMULQDQ), and
// hash/crc32 elsewhere. It may be called concurrently, and allocates nothing.
package crc32c
