package table

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// Create implements External. It returns all refusals that are known without a call before it makes one.
func (a *Adapter[S, H, P]) Create(ctx context.Context, req Request[S]) (driver.Result, error) {
	if err := a.serves(&req); err != nil {
		return driver.Result{}, err
	}
	if req.Restore != nil && req.Restore.Follows && a.Following == nil {
		return driver.Result{}, noReplicas(a.Noun)
	}
	var params P
	problems := []error{a.supported(&req)}
	if a.Creatable != nil {
		problems = append(problems, a.Creatable(&req))
	}
	if err := Together(append(problems, a.Table.Fill(&req.Spec, &params))...); err != nil {
		return driver.Result{}, err
	}
	a.addMark(&params, req.Mark)
	switch {
	case req.CloudManaged:
		a.Manage(&params, true)
	case a.Password != nil:
		a.Password(&params, req.Login.Password)
	}
	result, err := a.Make(ctx, &req, &params)
	if err != nil {
		return driver.Result{}, driver.RedactError(a.Refusals.ofCreation(err, a.Table.Declared(&req.Spec)), a.secrets(&req)...)
	}
	if a.New != nil {
		result.Sent = a.complete(ctx, req)
	}
	return result, nil
}

// supported refuses what the cloud does not have, all of it. Whoever calls the driver has refused it before: this is the second lock.
func (a *Adapter[S, H, P]) supported(req *Request[S]) error {
	if req.CloudManaged && a.Manage == nil {
		return invalid("%s", noManagement)
	}
	lacks, err := lackedBy(req.Spec, a.Lacks)
	if err != nil || len(lacks) == 0 {
		return err
	}
	var lines []string
	for _, l := range lacks {
		lines = append(lines, l.Field+": "+l.String())
	}
	return invalid("%s", prose.Join(lines))
}

// noManagement is the answer to a request for a password that the cloud manages where it manages none.
const noManagement = "the cloud does not manage administrators' passwords: set spec.credentials.source to Generated or SecretRef"

// lackedBy returns those of the lacks that a spec asks for.
func lackedBy[S any](says S, lacks []driver.Lack) ([]driver.Lack, error) {
	if len(lacks) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(&says)
	if err != nil {
		return nil, invalid("the spec can't be read: %v", err)
	}
	var spec map[string]any
	if err := json.Unmarshal(raw, &spec); err != nil {
		return nil, invalid("the spec can't be read: %v", err)
	}
	return driver.Lacking(lacks, spec), nil
}

// complete writes the parts that differ from what the cloud makes of a new object, which need not be read to be known, and returns what
// was set. What is refused or gets no answer differs when the object is next observed, and is told then.
func (a *Adapter[S, H, P]) complete(ctx context.Context, req Request[S]) (set []driver.Change) {
	u := &update[S, H, P]{adapter: a, req: req}
	for i := range a.Parts {
		part := &a.Parts[i]
		if !part.afterwards() {
			continue
		}
		changes := a.Table.Diff(&req.Spec, a.New, nil, func(name string) bool { return !part.has(name) })
		if len(changes) == 0 {
			continue
		}
		if tried, err := u.try(ctx, part, a.New, driver.Edit{Changes: changes}); err != nil || tried.Len() < len(changes) {
			return set
		}
		set = append(set, changes...)
	}
	return set
}

// addMark adds a mark to a call's parameters, if there is a place for it.
func (a *Adapter[S, H, P]) addMark(params *P, mark driver.Mark) {
	if a.Tags != nil {
		addMark(a.Tags(params), mark)
	}
}

// completeMark adds to a call that changes tags what a mark lacks that an earlier release wrote.
func completeMark(tags *Delta, mark driver.Mark) {
	if mark.NamespaceUID == "" || mark.Released {
		return
	}
	set := maps.Clone(tags.Set)
	if set == nil {
		set = map[string]string{}
	}
	set[driver.LabelNamespaceUID] = mark.NamespaceUID
	tags.Set = set
}

// addMark adds to what is to become of tags that they carry a mark.
func addMark(tags *Delta, mark driver.Mark) {
	set := maps.Clone(tags.Set)
	if set == nil {
		set = map[string]string{}
	}
	maps.Copy(set, mark.Labels())
	*tags = Delta{Set: set, Remove: append(slices.Clone(tags.Remove), mark.Obsolete())}
}
