package rdmatest

// sharesMemory: hosts of one machine share memory.
const sharesMemory = true
