package debug

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// rows is how many connections a page has.
const rows = 200

// query is what the address asks for.
type query struct {
	sort    string // a column, with "-" in front for the reverse
	text    string
	page    int
	refresh int // seconds; 0: never
	json    bool
}

// A column of the second table, besides the adapter.
type column struct {
	name, title string
	words       bool // it is text, not numbers
	order       func(a, b *Conn) int
}

// columns are in the order of the page.
var columns = []column{
	{"endpoint", "endpoint", false, func(a, b *Conn) int { return cmp.Compare(a.Endpoint, b.Endpoint) }},
	{"state", "state", true, func(a, b *Conn) int { return cmp.Compare(a.State, b.State) }},
	{"path", "path", true, func(a, b *Conn) int { return cmp.Compare(a.Path, b.Path) }},
	{"peer", "peer", true, func(a, b *Conn) int { return cmp.Compare(a.Peer, b.Peer) }},
	{"requests", "requests", false, func(a, b *Conn) int { return cmp.Compare(a.Requests, b.Requests) }},
	{"receives", "receives", false, func(a, b *Conn) int { return cmp.Compare(a.Receives, b.Receives) }},
	{"ops", "ops/s", false, func(a, b *Conn) int { return cmp.Compare(a.OpsPerSecond, b.OpsPerSecond) }},
	{"bytes", "bytes/s", false, func(a, b *Conn) int { return cmp.Compare(a.BytesPerSecond, b.BytesPerSecond) }},
	{"waits", "waits", false, func(a, b *Conn) int { return cmp.Compare(a.ReceiveWaits, b.ReceiveWaits) }},
	{"stalls", "stalls", false, func(a, b *Conn) int { return cmp.Compare(a.SendStalls, b.SendStalls) }},
	{"p99", "p99", false, func(a, b *Conn) int { return cmp.Compare(a.P99, b.P99) }},
	{"idle", "idle", false, func(a, b *Conn) int { return cmp.Compare(a.Idle, b.Idle) }},
	{"note", "note", true, func(a, b *Conn) int { return cmp.Compare(a.Note+a.Error, b.Note+b.Error) }},
}

// columnOf finds a column by its name, with or without "-" in front; nil: there is none.
func columnOf(sort string) (c *column, reverse bool) {
	name, reverse := strings.CutPrefix(sort, "-")
	if i := slices.IndexFunc(columns, func(c column) bool { return c.name == name }); i >= 0 {
		c = &columns[i]
	}
	return c, reverse
}

func parse(v url.Values) (q query, err error) {
	q = query{sort: cmp.Or(v.Get("sort"), "endpoint"), text: v.Get("q"), page: 1}
	if c, _ := columnOf(q.sort); c == nil {
		return q, fmt.Errorf("sort=%s: there is no such column", q.sort)
	}
	switch format := v.Get("format"); format {
	case "", "html":
	case "json":
		q.json = true
	default:
		return q, fmt.Errorf("format=%s: it is html or json", format)
	}
	if q.page, err = number(v, "page", 1, 1, 1<<20); err != nil {
		return q, err
	}
	q.refresh, err = number(v, "refresh", 0, 0, 3600)
	return q, err
}

// number reads a parameter.
func number(v url.Values, name string, missing, least, most int) (int, error) {
	text := v.Get(name)
	if text == "" {
		return missing, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s=%s: it is a number from %d to %d", name, text, least, most)
	}
	return n, nil
}

// apply selects connections and queues, and sorts both: the queues that need a look come first.
func (q *query) apply(s *Snapshot) {
	if q.text != "" {
		text := strings.ToLower(q.text)
		lacks := func(fields ...string) bool {
			return !slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(strings.ToLower(field), text) })
		}
		s.Conns = slices.DeleteFunc(s.Conns, func(c Conn) bool {
			return lacks(c.Adapter, strconv.Itoa(c.Endpoint), c.State, c.Path, c.Peer, c.Note, c.Error)
		})
		s.Queues = slices.DeleteFunc(s.Queues, func(q Queue) bool { return lacks(q.Adapter, q.Name) })
	}
	slices.SortStableFunc(s.Queues, func(a, b Queue) int {
		return cmp.Or(cmp.Compare(b.Overflows, a.Overflows), cmp.Compare(b.Waiting, a.Waiting))
	})
	column, reverse := columnOf(q.sort)
	slices.SortStableFunc(s.Conns, func(a, b Conn) int {
		if reverse {
			return column.order(&b, &a)
		}
		return column.order(&a, &b)
	})
}

// with is the query of a link: this one with one parameter changed.
func (q query) with(change func(*query)) string {
	change(&q)
	v := url.Values{"sort": {q.sort}}
	if q.text != "" {
		v.Set("q", q.text)
	}
	if q.page > 1 {
		v.Set("page", strconv.Itoa(q.page))
	}
	if q.refresh > 0 {
		v.Set("refresh", strconv.Itoa(q.refresh))
	}
	if q.json {
		v.Set("format", "json")
	}
	return "?" + v.Encode()
}
