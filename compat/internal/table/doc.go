// Package table has tables for the translations of C interfaces: objects by their handle, and
// objects by a 32-bit key of the adapter. Lookups take no lock. compat/dat has a table of keys of
// its own, whose first step its posts inline.
package table
