package drivertest

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/table"
)

// members returns the objects in the text of a list, as Text has it, each with what tells it from the others.
func (f Field) members(text string) (keys []string, members map[string]any) {
	var list []any
	if text != "" && json.Unmarshal([]byte(text), &list) != nil {
		return nil, nil
	}
	members = map[string]any{}
	for _, object := range list {
		key := f.Member(object.(map[string]any))
		keys, members[key] = append(keys, key), object
	}
	return keys, members
}

// shown returns how a change from one value to another shows them. Of a list of which others may own members those are shown that differ; ours says that
// all that are there are ours.
func (f Field) shown(from, to string, ours bool) (before, after string) {
	if f.Member == nil {
		return from, to
	}
	fromKeys, had := f.members(from)
	toKeys, wants := f.members(to)
	var was, is []any
	for _, key := range fromKeys {
		if wanted, ok := wants[key]; ok && Text([]any{wanted}) != Text([]any{had[key]}) || !ok && ours {
			was = append(was, had[key])
		}
	}
	for _, key := range toKeys {
		if there, ok := had[key]; !ok || Text([]any{wants[key]}) != Text([]any{there}) {
			is = append(is, wants[key])
		}
	}
	return table.TextOf(was), table.TextOf(is)
}

// stored returns what is applied of a field that had the first value, and is to have the others: the last one, or of a list of which others may own members
// what tells them apart, with their values where a change may disturb users.
func stored[S any](t testing.TB, b *bench[S], f Field, values ...string) []string {
	t.Helper()
	if f.Member == nil {
		return values[len(values)-1:]
	}
	entries, withValue := map[string]string{}, disturbs(t, b, f.Name)
	for i, value := range values {
		keys, members := f.members(value)
		for _, key := range keys {
			switch _, known := entries[key]; {
			case known:
			case !withValue:
				entries[key] = key
			case i == 0:
				entries[key] = key + "=" + table.TextOf([]any{members[key]})
			default:
				entries[key] = key + "?" // to be set
			}
		}
	}
	out := slices.AppendSeq([]string{}, maps.Values(entries))
	slices.Sort(out)
	return out
}

// holds reports whether a list of which others may own members has those that are wanted.
func (f Field) holds(want, have string) bool {
	if f.Member == nil {
		return false
	}
	_, wants := f.members(want)
	_, has := f.members(have)
	for key, wanted := range wants {
		if there, ok := has[key]; !ok || Text([]any{wanted}) != Text([]any{there}) {
			return false
		}
	}
	return true
}
