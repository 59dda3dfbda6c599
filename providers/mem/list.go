package mem

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// OpList lists objects of a kind. It reads.
const OpList Op = "List"

// pageSize is how many objects a page of a list has at most, unless the cloud is told another number.
const pageSize = 100

// LimitPages makes pages of lists have at most n objects, until that is lifted.
func LimitPages(c *Cloud, n int) (lift func()) {
	set := func(n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.pageSize = n
	}
	set(n)
	return func() { set(0) }
}

// listing returns how the objects of the manager's kind are listed: those of the account, in all locations.
func (m *manager[S, H]) listing() *table.Listing[H] {
	return &table.Listing[H]{Read: func(ctx context.Context, req driver.ListRequest) (found []table.Found[H], next string, err error) {
		err = m.call(ctx, OpList, "", func(call *Call, _ hits) error {
			var names []string
			own := map[string]*H{}
			for k := range m.objects.slots {
				if have := m.objects.own(m.account, k.name); have != nil && k == m.objects.key(m.account, k.name) {
					names, own[k.name] = append(names, k.name), have
				}
			}
			var err error
			names, next, err = pageOf(m.cloud, call, names, req.Page)
			for _, name := range names {
				found = append(found, table.Found[H]{Name: name, Have: own[name]})
			}
			return err
		})
		if err != nil {
			return nil, "", err
		}
		return found, next, nil
	}}
}

// tokenPrefix begins all tokens.
const tokenPrefix = "after:"

// pageOf returns a part of names, and the token of the next part. A token has the last name of the part before.
func pageOf(c *Cloud, call *Call, names []string, token string) (part []string, next string, err error) {
	after, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || token != "" && !strings.HasPrefix(string(after), tokenPrefix) {
		return nil, "", fail(call, driver.Invalid, "the token of the page is none of this cloud's")
	}
	last := strings.TrimPrefix(string(after), tokenPrefix)
	slices.Sort(names)
	names = slices.DeleteFunc(names, func(name string) bool { return name <= last })
	size := c.pageSize
	if size == 0 {
		size = pageSize
	}
	if len(names) > size {
		names = names[:size]
		next = base64.RawURLEncoding.EncodeToString([]byte(tokenPrefix + names[size-1]))
	}
	return names, next, nil
}
