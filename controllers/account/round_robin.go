package account

import "container/list"

// roundRobin has the requests of one priority that wait for a slot. Namespaces take turns: whoever asks for much does not make the
// others wait, and each namespace has its requests served in the order in which they came. Kinds have lists of their own, because
// one kind may have to wait for its calls while another does not.
type roundRobin struct {
	// order has a *tenant for each namespace that has requests. The one that was served last is last.
	order   *list.List
	tenants map[string]*list.Element
	// waiting is how many requests of each kind there are.
	waiting map[string]int
}

// A tenant is a namespace with requests, in a list of each kind.
type tenant struct {
	namespace string
	kinds     map[string]*list.List // of *request
}

func newRoundRobin() *roundRobin {
	return &roundRobin{order: list.New(), tenants: map[string]*list.Element{}, waiting: map[string]int{}}
}

// add adds a request behind those of its namespace and kind, or ahead of them if first.
func (t *roundRobin) add(r *request, first bool) {
	at := t.tenants[r.Namespace]
	if at == nil {
		at = t.order.PushBack(&tenant{namespace: r.Namespace, kinds: map[string]*list.List{}})
		t.tenants[r.Namespace] = at
	}
	kinds := at.Value.(*tenant).kinds
	if kinds[r.Kind] == nil {
		kinds[r.Kind] = list.New()
	}
	if first {
		t.order.MoveToFront(at)
		r.at = kinds[r.Kind].PushFront(r)
	} else {
		r.at = kinds[r.Kind].PushBack(r)
	}
	t.waiting[r.Kind]++
}

// remove takes a request out.
func (t *roundRobin) remove(r *request) {
	at := t.tenants[r.Namespace]
	kinds := at.Value.(*tenant).kinds
	kinds[r.Kind].Remove(r.at)
	if kinds[r.Kind].Len() == 0 {
		delete(kinds, r.Kind)
	}
	if len(kinds) == 0 {
		t.order.Remove(at)
		delete(t.tenants, r.Namespace)
	}
	if t.waiting[r.Kind]--; t.waiting[r.Kind] == 0 {
		delete(t.waiting, r.Kind)
	}
}

// next takes out the request whose turn it is, of a kind that may have a slot now. It returns nil if there is none.
func (t *roundRobin) next(may func(kind string) bool) *request {
	allowed := map[string]bool{}
	for kind := range t.waiting {
		if may(kind) {
			allowed[kind] = true
		}
	}
	if len(allowed) == 0 {
		return nil
	}
	for at := t.order.Front(); at != nil; at = at.Next() {
		if r := at.Value.(*tenant).first(allowed); r != nil {
			t.order.MoveToBack(at)
			t.remove(r)
			return r
		}
	}
	return nil
}

// first returns the oldest request of the kinds that are allowed.
func (t *tenant) first(allowed map[string]bool) (oldest *request) {
	for kind, requests := range t.kinds {
		if r := requests.Front().Value.(*request); allowed[kind] && (oldest == nil || r.number < oldest.number) {
			oldest = r
		}
	}
	return oldest
}

// len returns how many requests there are.
func (t *roundRobin) len() (n int) {
	for _, waiting := range t.waiting {
		n += waiting
	}
	return n
}

// of returns the requests of a source, in the order in which they came within each namespace and kind.
func (t *roundRobin) of(via *Source) (out []*request) {
	for at := t.order.Front(); at != nil; at = at.Next() {
		for _, requests := range at.Value.(*tenant).kinds {
			for e := requests.Front(); e != nil; e = e.Next() {
				if r := e.Value.(*request); r.via == via {
					out = append(out, r)
				}
			}
		}
	}
	return out
}
