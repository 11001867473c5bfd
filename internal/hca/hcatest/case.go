package hcatest

import (
	"slices"
	"testing"
)

// Case is one promise of the contract.
type Case struct {
	// Group is the subject of the promise, Name the promise.
	Group, Name string

	run func(t *env)
}

// Run checks the promise. It may call t.Fatalf and so end the goroutine.
func (c Case) Run(t TB, h Harness) {
	c.run(newEnv(t, &h, c.Group+"/"+c.Name))
}

// Cases lists the whole suite, group by group.
func Cases() []Case {
	return slices.Concat(
		attributeCases, limitCases, objectCases, closedCases, registerCases,
		connectCases, privateCases, refuseCases, cancelCases, listenCases, listenWaitCases, leaveCases, crowdCases,
		establishedCases, endCases, disconnectCases, gracefulCases, closeCases, callbackCases, shutdownCases,
		sendCases, rdmaCases, immediateCases, atomicCases, windowCases, bindCases, invalidateCases,
		suppressCases, quietCases, solicitedCases, fenceCases, echoCases, orderCases,
		rightCases, keyCases, boundCases, zeroCases, localCases, failedCases, revokeCases, modifyCases, adoptCases,
		receiverCases, shortCases, depthCases, untakenCases, inFlightCases, overflowCases, resizeCases, notifyCases, readyCases, outsideCases,
		srqCases, srqLimitCases, srqEndCases, stateCases, batchCases, posterCases, putCases,
		statsCases, recordCases, concurrentCases, besideCases, stressCases, behindCases, allocationCases,
	)
}

// Find returns the cases whose group and name match; an empty name matches all.
func Find(group, name string) []Case {
	var found []Case
	for _, c := range Cases() {
		if c.Group == group && (name == "" || c.Name == name) {
			found = append(found, c)
		}
	}
	return found
}

// Run runs the whole suite as subtests group/promise.
func Run(t *testing.T, h Harness) {
	t.Logf("GODAPL_SEED=%d", seed())
	cases := Cases()
	for len(cases) > 0 {
		group := cases[0].Group
		n := slices.IndexFunc(cases, func(c Case) bool { return c.Group != group })
		if n < 0 {
			n = len(cases)
		}
		t.Run(group, func(t *testing.T) {
			for _, c := range cases[:n] {
				t.Run(c.Name, func(t *testing.T) { c.Run(t, h) })
			}
		})
		cases = cases[n:]
	}
}
