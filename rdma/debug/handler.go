package debug

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/http"

	"github.com/godapl/godapl/internal/quantity"
)

func init() { http.Handle("GET /debug/rdma/", Handler()) }

// Handler serves the page of the published adapters. Requests are served one after the other.
func Handler() http.Handler { return http.HandlerFunc(published.serve) }

//go:embed page.html
var text string

//go:embed page.js
var script string

// policy lets the browser run the script of the page and no other, whatever a peer calls itself.
var policy = func() string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}()

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"count": count, "size": quantity.Bytes, "rate": quantity.Rate, "idle": quantity.Idle, "latency": quantity.Latency,
	"script": func() template.JS { return template.JS(script) },
}).Parse(text))

// head is the head of a column.
type head struct {
	Title, Link, Mark string
	Number            bool // the column has numbers
}

// view is what the template gets.
type view struct {
	*Snapshot
	Rows                  []Conn
	QueueRows             []Queue
	ZoneRows              []Zone
	Columns               []head
	Query                 string
	Sort                  string
	Refresh               int
	Selected              int
	Page, Pages           int
	Before, After, AsJSON string
	RefreshOn, RefreshOff string
}

func (v *viewer) serve(w http.ResponseWriter, r *http.Request) {
	q, err := parse(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	q.answer(w, v.look())
}

// answer writes what q selects of the snapshot.
func (q query) answer(w http.ResponseWriter, s *Snapshot) {
	q.apply(s)
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	if q.json {
		readFlights(s.Conns)
		header.Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(s)
		return
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", policy)
	var b bytes.Buffer
	shown := q.view(s)
	readFlights(shown.Rows)
	if err := page.Execute(&b, shown); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Write(b.Bytes())
}

// view cuts one page out of the snapshot.
func (q query) view(s *Snapshot) *view {
	pages := max(1, (len(s.Conns)+rows-1)/rows)
	q.page = min(q.page, pages)
	from := (q.page - 1) * rows
	v := &view{Snapshot: s, QueueRows: s.Queues[:min(rows, len(s.Queues))], ZoneRows: s.Zones[:min(rows, len(s.Zones))], Rows: s.Conns[from:min(from+rows, len(s.Conns))], Query: q.text, Sort: q.sort, Refresh: q.refresh,
		Selected: len(s.Conns), Page: q.page, Pages: pages,
		AsJSON:     q.with(func(q *query) { q.json = true }),
		RefreshOn:  q.with(func(q *query) { q.refresh = 2 }),
		RefreshOff: q.with(func(q *query) { q.refresh = 0 }),
	}
	if q.page > 1 {
		v.Before = q.with(func(q *query) { q.page-- })
	}
	if q.page < pages {
		v.After = q.with(func(q *query) { q.page++ })
	}
	by, reverse := columnOf(q.sort)
	for i := range columns {
		c := &columns[i]
		h, next := head{Title: c.title, Number: !c.words}, c.name
		switch {
		case by == c && reverse:
			h.Mark = "descending"
		case by == c:
			h.Mark, next = "ascending", "-"+c.name
		}
		h.Link = q.with(func(q *query) { q.sort, q.page = next, 1 })
		v.Columns = append(v.Columns, h)
	}
	return v
}
