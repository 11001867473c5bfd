package shm

// Unmap ends a mapping of Extent.Map.
func Unmap(b []byte) {
	_ = sysMunmap(b)
	DropMapping()
}

// SysMappings is how many mappings there are, and may be.
func SysMappings() (all, most int) { return sysMappings() }
