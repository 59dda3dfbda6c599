package mem

import (
	"cmp"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// An Object is what all objects of this cloud have, of whatever kind.
type Object struct {
	Account driver.AccountID
	Name    string
	ID      string
	// Labels are everybody's, the mark among them.
	Labels map[string]string
}

// A storage says how objects of one kind are kept.
type storage[T any] struct {
	kind Kind
	// global: all accounts share one space of names.
	global bool
	object func(*T) *Object
	clone  func(*T) *T
	// settle returns what became of an object whose work is over, nil if it is gone, and whether anything did. nil for a kind that
	// is changed at once.
	settle func(*Cloud, *T) (next *T, moved bool)
}

// Objects are the objects of one kind in all accounts. Its exported methods act behind everybody's back, at once, and hand out copies.
type Objects[T any] struct {
	storage[T]
	cloud *Cloud
	slots map[key]*slot[T]
}

// key names an object. It has no account if the names of the kind are global.
type key struct {
	account driver.AccountID
	name    string
}

// slot holds an object as it is and as it was before the last write, which is what a stale read shows. Both are
// nil if there is none, and neither is changed in place: whoever holds one may keep it.
type slot[T any] struct{ now, before *T }

// objectsOf returns the objects of a kind in a cloud, which are made when they are first asked for.
func objectsOf[T any](c *Cloud, as storage[T]) *Objects[T] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept, ok := c.objects[as.kind].(*Objects[T]); ok {
		return kept
	}
	o := &Objects[T]{storage: as, cloud: c, slots: map[key]*slot[T]{}}
	c.objects[as.kind] = o
	return o
}

// Get returns a copy of an object.
func (o *Objects[T]) Get(account driver.AccountID, name string) (T, bool) {
	o.cloud.mu.Lock()
	defer o.cloud.mu.Unlock()
	if have := o.own(account, name); have != nil {
		return *o.clone(have), true
	}
	var none T
	return none, false
}

// All returns copies of all objects of all accounts, by account and name.
func (o *Objects[T]) All() []T {
	o.cloud.mu.Lock()
	defer o.cloud.mu.Unlock()
	var all []T
	for k := range o.slots {
		if have := o.at(k); have != nil {
			all = append(all, *o.clone(have))
		}
	}
	slices.SortFunc(all, func(a, b T) int {
		x, y := o.object(&a), o.object(&b)
		return cmp.Or(cmp.Compare(x.Account, y.Account), cmp.Compare(x.Name, y.Name))
	})
	return all
}

// Put makes or replaces an object. It is given an ID if it has none.
func (o *Objects[T]) Put(object T) {
	o.cloud.mu.Lock()
	defer o.cloud.mu.Unlock()
	o.put(o.clone(&object))
}

// Edit changes an object, and reports whether there is one. edit must not call the cloud.
func (o *Objects[T]) Edit(account driver.AccountID, name string, edit func(*T)) bool {
	o.cloud.mu.Lock()
	defer o.cloud.mu.Unlock()
	have := o.own(account, name)
	if have == nil {
		return false
	}
	next := o.clone(have)
	edit(next)
	o.put(next)
	return true
}

// Remove deletes an object and what is in it, and reports whether there was one.
func (o *Objects[T]) Remove(account driver.AccountID, name string) bool {
	o.cloud.mu.Lock()
	defer o.cloud.mu.Unlock()
	have := o.own(account, name)
	if have == nil {
		return false
	}
	o.remove(have)
	return true
}

// The methods below need the cloud's lock.

func (o *Objects[T]) key(account driver.AccountID, name string) key {
	if o.global {
		account = ""
	}
	return key{account, name}
}

// find returns the object that a name means to an account, nil if there is none. It may be another account's.
func (o *Objects[T]) find(account driver.AccountID, name string) *T {
	return o.at(o.key(account, name))
}

// own returns an account's object, nil if there is none.
func (o *Objects[T]) own(account driver.AccountID, name string) *T {
	if have := o.find(account, name); have != nil && o.object(have).Account == account {
		return have
	}
	return nil
}

// at returns an object as it is by now.
func (o *Objects[T]) at(k key) *T {
	s := o.slots[k]
	if s == nil || s.now == nil {
		return nil
	}
	if o.settle != nil {
		if next, moved := o.settle(o.cloud, s.now); moved {
			s.now = next // not a write: s.before stays
		}
	}
	return s.now
}

// before returns an object as it was before the last write to it.
func (o *Objects[T]) before(account driver.AccountID, name string) *T {
	if s := o.slots[o.key(account, name)]; s != nil {
		return s.before
	}
	return nil
}

// put writes an object, which nobody changes from then on.
func (o *Objects[T]) put(next *T) {
	of := o.object(next)
	if of.ID == "" {
		of.ID = o.cloud.next(string(o.kind))
	}
	s := o.slot(of)
	s.before, s.now = s.now, next
}

func (o *Objects[T]) remove(have *T) {
	s := o.slot(o.object(have))
	s.before, s.now = s.now, nil
}

// slot returns the slot of an object, made if need be.
func (o *Objects[T]) slot(of *Object) *slot[T] {
	k := o.key(of.Account, of.Name)
	s := o.slots[k]
	if s == nil {
		s = &slot[T]{}
		o.slots[k] = s
	}
	return s
}
