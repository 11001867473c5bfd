//go:build !race

package soft

func raceSend() {}
func raceRecv() {}
