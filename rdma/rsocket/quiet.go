package rsocket

// On a device without immediate data (iWARP) the accepting side sends nothing until it has heard of the peer: MPA
// wants that (RFC 5044, 7.1.1), and siw takes whatever arrives together with the answer to its request for a
// violation. So the introduction, data, probes and messages about the end wait for the first message of the
// peer. A peer sends it when its program first reads, writes or polls; one that does none of these reads nothing
// either. The peer's device waits for the answer for hca.AnswerTime at most, so later than that there is no
// danger. The software adapter holds back what is posted by itself, until the peer's first frame.

// quietPath is the path on which the accepting side is quiet at first.
var quietPath = "verbs"

// speak ends the silence. The caller holds mu, and calls update afterwards.
func (c *Conn) speak() {
	if !c.quiet {
		return
	}
	c.quiet = false
	if m := c.held; m != 0 {
		c.held = 0
		c.control(m)
	}
	c.sides.Wake(&c.sides.Out)
}
