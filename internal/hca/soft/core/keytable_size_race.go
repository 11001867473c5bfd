//go:build race

package core

// tableBits is smaller under the race detector: it keeps four words for each word of the table, and tests open
// adapters by the thousand.
const tableBits = 14
