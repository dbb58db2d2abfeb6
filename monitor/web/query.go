package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"tracecheck/monitor/board"
)

// The lengths of a page of a list.
const (
	pageSize       = 100
	violationsPage = 25
	mostListed     = 1000 // in one answer
	lastPage       = 1_000_000
)

const onlyUnusable = "unusable"

// choices are the filters of the list of streams.
var choices = []choice{{"", "all"}, {"violations", "with violations"}, {onlyUnusable, "not judged"}, {"undesired", "not in the desired state"}, {"waiting", "with open obligations"}}

var orders = []board.Order{board.ByFault, board.ByName, board.ByRate}

// listQuery is the query of a list.
type listQuery struct {
	Name  string // of a stream
	Find  string
	Only  string
	Order board.Order
	Page  int // from 1
	Limit int // of a page
}

// readQuery reads the request's query. The error is shown to the client.
func readQuery(r *http.Request, limit int) (listQuery, error) {
	v := r.URL.Query()
	q := listQuery{Name: v.Get("name"), Find: v.Get("find"), Only: v.Get("only"), Order: board.Order(v.Get("order")), Page: 1, Limit: limit}
	if q.Order == "" {
		q.Order = board.ByFault
	}
	if !slices.Contains(orders, q.Order) {
		return q, fmt.Errorf("order is %q: expected name, fault or rate", q.Order)
	}
	if !slices.ContainsFunc(choices, func(c choice) bool { return c.Value == q.Only }) {
		return q, fmt.Errorf("only is %q: expected violations, unusable, undesired or waiting", q.Only)
	}
	for name, bound := range map[string]struct {
		to   *int
		most int
	}{"page": {&q.Page, lastPage}, "limit": {&q.Limit, mostListed}} {
		text := v.Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > bound.most {
			return q, fmt.Errorf("%s is %q: expected a number from 1 to %d", name, text, bound.most)
		}
		*bound.to = n
	}
	return q, nil
}

func (q *listQuery) skip() int { return (q.Page - 1) * q.Limit }

func (q *listQuery) board() board.Query {
	return board.Query{Find: q.Find, Only: q.Only, Order: q.Order, Skip: q.skip(), Limit: q.Limit}
}

// link is the address of the same list with another page.
func (q *listQuery) link(path string, page int) string {
	v := url.Values{}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	set("find", q.Find)
	set("only", q.Only)
	if q.Order != board.ByFault {
		set("order", string(q.Order))
	}
	if page > 1 {
		set("page", strconv.Itoa(page))
	}
	if path == "stream" {
		v.Set("name", q.Name)
	}
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// pager is the range of a list that a page shows. A missing link is "".
type pager struct {
	From, To, Total int
	Before, After   string
	First           string // where the page is beyond the end
}

func (q *listQuery) pager(path string, total int) pager {
	p := pager{From: q.skip() + 1, To: min(q.skip()+q.Limit, total), Total: total}
	if p.From > total {
		p.From = p.To
		if q.Page > 1 {
			p.First = q.link(path, 1)
		}
		return p
	}
	if q.Page > 1 {
		p.Before = q.link(path, q.Page-1)
	}
	if p.To < total {
		p.After = q.link(path, q.Page+1)
	}
	return p
}
