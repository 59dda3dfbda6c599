package table

import (
	"context"
	"errors"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Listing implements lists of the objects of one kind.
type Listing[H any] struct {
	// Read makes one call. It returns the objects of one page and the token of the next page, which is empty after the
	// last page.
	Read func(ctx context.Context, req driver.ListRequest) (found []Found[H], next string, err error)
	// Lacks are what the list does not include: fields of the table, and driver.FieldMark if it has no mark. Fields
	// that a Part reads by a call of its own are never included, and need not be in Lacks.
	Lacks []string
}

// A Found is an object in a list.
type Found[H any] struct {
	Name string
	Have *H
}

// errNoListing is the error of an Adapter without a Listing. The session names cloud and kind.
var errNoListing = errors.New("there is no call that lists objects")

// List implements External. Its entries are computed by the same functions as in Observe.
func (a *Adapter[S, H, P]) List(ctx context.Context, req driver.ListRequest) (driver.Page, error) {
	if a.Listing == nil {
		return driver.Page{}, errNoListing
	}
	found, next, err := a.Listing.Read(ctx, req)
	if err != nil {
		return driver.Page{}, ofToken(req.Page, err)
	}
	page := driver.Page{Location: a.Region, Next: next, Lacks: a.lacking()}
	for _, f := range found {
		listed, err := a.listed(f, page.Lacks)
		if err != nil {
			return driver.Page{}, err
		}
		if a.Region == "" || listed.Location == a.Region {
			page.Objects = append(page.Objects, listed)
		}
	}
	return page, nil
}

// lacking returns what a list does not say of any object.
func (a *Adapter[S, H, P]) lacking() []string {
	lacks := slices.Clone(a.Listing.Lacks)
	for _, part := range a.Parts {
		if part.Read != nil {
			lacks = append(lacks, part.Fields...)
		}
	}
	slices.Sort(lacks)
	return slices.Compact(lacks)
}

// listed returns what is known of an object by a list alone.
func (a *Adapter[S, H, P]) listed(f Found[H], lacks []string) (driver.Listed, error) {
	req := Request[S]{Request: driver.Request{Name: f.Name}}
	var o driver.Observation
	a.State(&req, f.Have, &o)
	req.Mark = o.Mark // nothing is to be written
	if a.Review != nil {
		a.Review(&req, f.Have, &o)
	}
	seen := slices.DeleteFunc(slices.Clone(a.Table), func(row Row[S, H, P]) bool { return slices.Contains(lacks, row.Name()) })
	mirror, err := seen.Mirror(f.Have)
	if mirror, err = said(a.Sayable, mirror, &req.Spec, err); err != nil {
		return driver.Listed{}, &driver.Error{Code: driver.Internal, Message: "mirror: " + err.Error()}
	}
	listed := driver.Listed{
		Name: f.Name, State: o.State, ID: o.ID, Location: o.Location,
		Available: o.Available, Stopped: o.Stopped, Protected: o.Protected, Problem: o.Problem, Work: o.Work, Mirror: mirror,
	}
	if !slices.Contains(lacks, driver.FieldMark) {
		listed.Mark = &o.Mark
	}
	return listed, nil
}

// ofToken says of an error of a list whether the cloud refuses the token of the page: it is the one value that the caller chose.
func ofToken(token string, err error) error {
	e := driver.ErrorOf(err)
	if token == "" || e.Code != driver.Invalid {
		return err
	}
	return &driver.Error{Code: driver.PageExpired, Op: e.Op, Message: "the token of the page is refused; list again from the first page: " + e.Message, Err: e.Err}
}
