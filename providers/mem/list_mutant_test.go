package mem_test

import (
	"context"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// listCall is a call of List on its way.
type listCall struct {
	ctx  context.Context
	kind string
	req  driver.ListRequest
	// ask makes the call, or another one, of the right driver.
	ask func(context.Context, driver.ListRequest) (driver.Page, error)
	// others returns what the right driver lists of another account. write makes a write.
	others func() driver.Page
	write  func()
}

func (b *bentSession) List(ctx context.Context, kind string, req driver.ListRequest) (driver.Page, error) {
	c := &listCall{ctx: ctx, kind: kind, req: req}
	c.ask = func(ctx context.Context, req driver.ListRequest) (driver.Page, error) {
		return b.Session.List(ctx, kind, req)
	}
	c.others = func() driver.Page {
		s, err := b.driver.Open(ctx, mem.Config("222222222222", region))
		if err != nil {
			return driver.Page{}
		}
		page, _ := s.List(ctx, kind, req)
		return page
	}
	c.write = func() { _, _ = b.Session.Delete(ctx, kind, driver.Request{Name: "missing"}, driver.Secrets{}) }
	page, err := b.Session.List(ctx, kind, req)
	if b.list != nil {
		err = b.list(c, &page, err)
	}
	return page, err
}

// each makes a list of a function on each object.
func each(edit func(*driver.Listed)) func(*listCall, *driver.Page, error) error {
	return func(_ *listCall, page *driver.Page, err error) error {
		for i := range page.Objects {
			edit(&page.Objects[i])
		}
		return err
	}
}

// without makes a list that leaves objects out.
func without(unwanted func(driver.Listed) bool) func(*listCall, *driver.Page, error) error {
	return func(_ *listCall, page *driver.Page, err error) error {
		page.Objects = slices.DeleteFunc(page.Objects, unwanted)
		return err
	}
}

// listMutants break lists.
var listMutants = []mutant{
	{name: "a kind that can't be listed has an empty page", caught: "list/a kind that is not described",
		describe: func(d *driver.Description) {
			for i := range d.Resources {
				d.Resources[i].Capabilities.List = false
			}
		},
		list: func(_ *listCall, page *driver.Page, _ error) error {
			*page = driver.Page{}
			return nil
		}},
	{name: "a kind that is described can't be listed", caught: "list/a kind that is not described",
		list: func(c *listCall, page *driver.Page, _ error) error {
			*page = driver.Page{}
			return driver.NoList("memory", c.kind)
		}},
	{name: "a kind that is not there has an empty page", caught: "Open/has exactly the kinds",
		list: func(*listCall, *driver.Page, error) error { return nil }},
	{name: "marks are unknown, and nothing says so", caught: "list/an object is listed as",
		list: each(func(o *driver.Listed) { o.Mark = nil })},
	{name: "an unknown mark is no mark", caught: "list/an object is listed as",
		list: func(_ *listCall, page *driver.Page, err error) error {
			page.Lacks = []string{driver.FieldMark}
			for i := range page.Objects {
				page.Objects[i].Mark = &driver.Mark{}
			}
			return err
		}},
	{name: "a field is lacking, and nothing says so", caught: "list/an object is listed as",
		list: each(func(o *driver.Listed) { o.Mirror = []byte("{}") })},
	{name: "a field is there, and said to be lacking", caught: "list/an object is listed as",
		list: func(_ *listCall, page *driver.Page, err error) error {
			page.Lacks = []string{"tags"}
			return err
		}},
	{name: "what is lacking is no field", caught: "list/an object is listed as",
		list: func(_ *listCall, page *driver.Page, err error) error {
			page.Lacks = []string{"colour"}
			return err
		}},
	{name: "ids are missing", caught: "list/an object is listed as", list: each(func(o *driver.Listed) { o.ID = "" })},
	{name: "locations are missing", caught: "list/an object is listed as", list: each(func(o *driver.Listed) { o.Location = "" })},
	{name: "what is stopped is available", caught: "list/an object is listed as",
		list: each(func(o *driver.Listed) { o.Available, o.Stopped = true, false })},
	{name: "a list writes", caught: "list/an object is listed as",
		list: func(c *listCall, _ *driver.Page, err error) error {
			c.write()
			return err
		}},
	{name: "a page costs several calls", caught: "list/an object is listed as",
		list: func(c *listCall, _ *driver.Page, err error) error {
			_, _ = c.ask(c.ctx, c.req)
			return err
		}},
	{name: "all that is listed is Ready", caught: "list/an object at which the cloud is at work",
		list: each(func(o *driver.Listed) { o.State = driver.Ready })},
	{name: "what is not Ready is left out", caught: "list/an object at which the cloud is at work",
		list: without(func(o driver.Listed) bool { return o.State != driver.Ready })},
	{name: "objects without a mark are left out", caught: "list/has the objects of everybody", list: without(func(o driver.Listed) bool { return o.Mark.Zero() })},
	{name: "objects of others are left out", caught: "list/has the objects of everybody",
		list: without(func(o driver.Listed) bool { return o.Mark.Cluster == "cluster-2" })},
	{name: "released objects are left out", caught: "list/has the objects of everybody", list: without(func(o driver.Listed) bool { return o.Mark.Released })},
	{name: "a released object is not released", caught: "list/has the objects of everybody", list: each(func(o *driver.Listed) { o.Mark.Released = false })},
	{name: "a list of a cluster has all but its objects", caught: "list/objects with a cluster's mark",
		list: func(c *listCall, page *driver.Page, err error) error {
			return without(func(o driver.Listed) bool { return o.Mark.Cluster == c.req.Cluster })(c, page, err)
		}},
	{name: "a cluster's name is taken for a filter", caught: "list/objects with a cluster's mark",
		list: func(c *listCall, page *driver.Page, err error) error {
			if c.req.Cluster == "" || c.req.Cluster == "cluster-1" {
				return err
			}
			*page = driver.Page{}
			return code(driver.Invalid, "the filter has a syntax error")
		}},
	{name: "the first page is all there is", caught: "list/what does not fit",
		list: func(_ *listCall, page *driver.Page, err error) error {
			page.Next = ""
			return err
		}},
	{name: "the first page comes again and again", caught: "list/what does not fit",
		list: func(c *listCall, page *driver.Page, _ error) (err error) {
			*page, err = c.ask(c.ctx, driver.ListRequest{})
			return err
		}},
	{name: "an object is there twice", caught: "list/what does not fit",
		list: func(_ *listCall, page *driver.Page, err error) error {
			page.Objects = append(page.Objects, page.Objects...)
			return err
		}},
	{name: "an account without objects has another's", caught: "list/an account without objects",
		list: func(c *listCall, page *driver.Page, err error) error {
			if len(page.Objects) == 0 {
				page.Objects = []driver.Listed{{Name: "x", State: driver.Ready, Location: region, Mark: &driver.Mark{}, Mirror: []byte("{}")}}
			}
			return err
		}},
	{name: "an empty list never ends", caught: "list/an account without objects",
		list: func(_ *listCall, page *driver.Page, err error) error {
			page.Next = "again"
			return err
		}},
	{name: "a bad token is an empty page", caught: "list/a token that the cloud does not know",
		list: func(_ *listCall, _ *driver.Page, err error) error {
			if driver.CodeOf(err) == driver.PageExpired {
				return nil
			}
			return err
		}},
	{name: "a bad token begins anew", caught: "list/a token that the cloud does not know",
		list: func(c *listCall, page *driver.Page, err error) error {
			if driver.CodeOf(err) == driver.PageExpired {
				*page, err = c.ask(c.ctx, driver.ListRequest{})
			}
			return err
		}},
	{name: "a bad token is Invalid", caught: "list/a token that the cloud does not know",
		list: func(_ *listCall, _ *driver.Page, err error) error {
			if driver.CodeOf(err) == driver.PageExpired {
				return code(driver.Invalid, "a bad token")
			}
			return err
		}},
	{name: "another account's objects are listed", caught: "list/another account's objects",
		list: func(c *listCall, page *driver.Page, err error) error {
			page.Objects = append(page.Objects, c.others().Objects...)
			return err
		}},
	{name: "the page says that all is in one location", caught: "list/objects of other locations",
		list: func(_ *listCall, page *driver.Page, err error) error {
			page.Location = region
			return err
		}},
	{name: "a list of all locations leaves others out", caught: "list/objects of other locations",
		list: without(func(o driver.Listed) bool { return o.Location != region })},
	{name: "a list calls although nobody waits", caught: "list/a context that is over",
		list: func(c *listCall, page *driver.Page, _ error) (err error) {
			*page, err = c.ask(context.WithoutCancel(c.ctx), c.req)
			return err
		}},
	{name: "a denied list is empty", caught: "list/denied", list: func(_ *listCall, _ *driver.Page, err error) error {
		if driver.CodeOf(err) == driver.Denied {
			return nil
		}
		return err
	}},
	{name: "a list that is throttled is denied", caught: "list/throttled", list: func(_ *listCall, _ *driver.Page, err error) error {
		if driver.CodeOf(err) == driver.Throttled {
			return code(driver.Denied, "no")
		}
		return err
	}},
	{name: "an error comes with a page", caught: "list/server-error", list: func(_ *listCall, page *driver.Page, err error) error {
		if err != nil {
			page.Next = "more"
		}
		return err
	}},
	{name: "a list without an answer is empty", caught: "list/hang", list: func(_ *listCall, _ *driver.Page, err error) error {
		if driver.CodeOf(err) == driver.Unavailable {
			return nil
		}
		return err
	}},
}
