package gcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Google's clients take any object of JSON for an answer, and read one that somebody else gives as an object on which nothing is set. So each answer is
// checked here, before a client reads it, by the kind that Google's APIs write into their answers. An operation that is not known here gets no answer at all.

// An expected says by what the answers to an operation are known.
type expected struct {
	kind string // what the member "kind" says
	// members are those of an answer without a kind: it has one of them, or nothing at all. Google leaves the kind out of some empty lists, of parts of an answer that were asked for, and of
	// some newer APIs.
	members []string
	nothing bool // there is nothing to say, and what is said does not matter if it is no page and no object of others
}

// expectedAnswers are those of the operations that are called. All others of Cloud SQL are writes, which are answered by an operation.
// https://cloud.google.com/storage/docs/json_api/v1 https://cloud.google.com/sql/docs/mysql/admin-api/rest
var expectedAnswers = map[string]expected{
	"Backups.GetBackup":                {kind: "sql#backup"},
	"Backups.ListBackups":              {members: []string{"backups", "nextPageToken", "warnings"}},
	"buckets.delete":                   {nothing: true},
	"buckets.get":                      {kind: "storage#bucket"},
	"buckets.getIamPolicy":             {kind: "storage#policy"},
	"buckets.insert":                   {kind: "storage#bucket"},
	"buckets.list":                     {kind: "storage#buckets"},
	"buckets.lockRetentionPolicy":      {kind: "storage#bucket"},
	"buckets.patch":                    {kind: "storage#bucket"},
	"buckets.setIamPolicy":             {kind: "storage#policy"},
	"buckets.testIamPermissions":       {kind: "storage#testIamPermissionsResponse"},
	"databases.get":                    {kind: "sql#database"},
	"flags.list":                       {kind: "sql#flagsList"},
	"folders.delete":                   {nothing: true},
	"folders.list":                     {kind: "storage#folders"},
	"instances.get":                    {kind: "sql#instance"},
	"instances.getLatestRecoveryTime":  {kind: "sql#getLatestRecoveryTime"},
	"instances.list":                   {kind: "sql#instancesList", members: []string{"items", "nextPageToken", "warnings"}},
	"instances.listServerCas":          {kind: "sql#instancesListServerCas"},
	"instances.listServerCertificates": {kind: "sql#instancesListServerCertificates"},
	"managedFolders.delete":            {nothing: true},
	"managedFolders.list":              {kind: "storage#managedFolders"},
	"notifications.delete":             {nothing: true},
	"notifications.insert":             {kind: "storage#notification"},
	"notifications.list":               {kind: "storage#notifications"},
	"objects.delete":                   {nothing: true},
	"objects.list":                     {kind: "storage#objects", members: []string{"items", "nextPageToken", "prefixes"}},
	"objects.patch":                    {kind: "storage#object"},
	"operations.list":                  {kind: "sql#operationsList", members: []string{"items", "nextPageToken"}},
	"timeSeries.list":                  {members: []string{"executionErrors", "nextPageToken", "timeSeries", "unit", "unreachable"}},
	"users.list":                       {kind: "sql#usersList"},
}

// expectedOf returns by what the answers to an operation are known.
func expectedOf(operation string) expected {
	known, ok := expectedAnswers[operation]
	if !ok && serviceOf(operation) == "sqladmin" {
		return expected{kind: "sql#operation"}
	}
	return known
}

type operationKey struct{}

// calling returns a context whose requests are those of an operation.
func calling(ctx context.Context, operation string) context.Context {
	return context.WithValue(ctx, operationKey{}, operation)
}

// genuine is a transport that lets only those answers pass that Google can have given to the operation. Refusals pass: what they say is read with as much care
// elsewhere.
type genuine struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (g genuine) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := g.base.RoundTrip(r)
	if err != nil || response.StatusCode/100 != 2 {
		return response, err
	}
	operation, _ := r.Context().Value(operationKey{}).(string)
	text, err := io.ReadAll(response.Body)
	if err != nil { // the connection broke, which the client finds out as well
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(text), response.Body), response.Body}
		return response, nil //nolint:nilerr // and may try again
	}
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(text))
	if why := expectedOf(operation).problem(text); why != "" {
		return nil, &driver.Error{Code: driver.Unavailable, Op: operation, Message: fmt.Sprintf(
			"the answer is not from Google Cloud: %s; check the endpoint, and look for a proxy that answers in its place", why)}
	}
	return response, nil
}

// problem says what is wrong with an answer; empty if nothing is.
func (e expected) problem(text []byte) string {
	var have map[string]json.RawMessage
	if err := json.Unmarshal(text, &have); err != nil || have == nil {
		if e.nothing && !strings.HasPrefix(string(bytes.TrimSpace(text)), "<") {
			return ""
		}
		return "it is no object of JSON"
	}
	if e.nothing && len(have) == 0 {
		return ""
	}
	if raw, ok := have["kind"]; ok && e.kind != "" {
		var kind string
		if json.Unmarshal(raw, &kind) != nil || kind != e.kind {
			return fmt.Sprintf("its kind is %.40q and not %q", kind, e.kind)
		}
		return ""
	}
	if e.members == nil {
		return "it does not say of which kind it is"
	}
	if len(have) > 0 && !slices.ContainsFunc(e.members, func(member string) bool { return have[member] != nil }) {
		return "it has no member that an answer to the operation has"
	}
	return ""
}
