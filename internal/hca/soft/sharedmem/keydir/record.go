package keydir

// A Record is what a key stands for.
type Record struct {
	Access     uint64
	Addr, Len  uint64 // what the key covers
	Base, Size uint64 // its region
	// File and Device identify the file from which the region can be mapped, and Offset is the region's place in it. File 0:
	// there is none.
	File, Device, Offset uint64
	Zone                 uint64
	Only                 uint64 // the only connection on which the key is valid; 0: all
	Own                  uint64 // not 0: the library's own memory, which both its owner and a peer that maps it may write
}

const (
	buckets    = 8192
	ways       = 4
	recordSize = 128

	// Size is that of the table, in bytes.
	Size = buckets * ways * recordSize

	// Offsets of the words of a record, behind its first one.
	atAccess = 8
	atAddr   = 16
	atLen    = 24
	atBase   = 32
	atSize   = 40
	atFile   = 48
	atOffset = 56
	atZone   = 64
	atOnly   = 72
	atDevice = 80
	atOwn    = 88
)

// bucket is the offset of the first record of a key's bucket.
func bucket(key uint32) int { return int(key>>8) % buckets * ways * recordSize }

// A record that is being changed has no generation. A reader that needs it looks again.
const changing = 0

// Key is the key in the first word of a record.
func Key(word uint64) uint32 { return uint32(word) }

// Changing reports that the record with this first word is being changed.
func Changing(word uint64) bool { return word != 0 && word>>32 == changing }
