//go:build !race

package core

// tableBits is the number of bits of a key that choose its page: all that are left beside the bits inside the
// page, and the eight that change when a place is used again.
const tableBits = 32 - 8 - pageBits
