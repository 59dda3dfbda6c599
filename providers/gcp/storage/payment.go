package storage

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// payersCost is what it costs that requesters pay.
var payersCost = driver.Cost{
	Text:   "clients stay out until they name a project that pays, and anonymous clients stay out for good; who may bill the bucket's own project notices nothing",
	Source: "https://cloud.google.com/storage/docs/requester-pays",
}

// paymentRow is who pays for requests.
var paymentRow = plain("requesterPays", "RequesterPays", func(b *bucket) *bool { return &b.RequesterPays }).EffectOf(func(from *bool, to bool, _ *bucket) (driver.Effect, string) {
	if to && (from == nil || !*from) {
		return driver.Interrupts, ""
	}
	return driver.Online, ""
},
	driver.PossibleEffect{Effect: driver.Online, When: "it becomes false"},
	driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes true: clients have to agree to pay", Cost: payersCost})

// handle returns the bucket of a name, as this account calls it. Where requesters pay, Cloud Storage takes no call without a project that pays, not
// even one for the settings. That is the account's project, which pays for its own buckets anyway. It takes the permission
// serviceusage.services.use, so no other call names a project. https://cloud.google.com/storage/docs/requester-pays#requirements
func (b *buckets) handle(name string) *storage.BucketHandle {
	if payer := b.payer(name); payer != "" {
		return b.storage.Bucket(name).UserProject(payer)
	}
	return b.storage.Bucket(name)
}

// payer returns the project that pays for the calls about a bucket; empty if they need not name one.
func (b *buckets) payer(name string) string {
	if _, pays := b.payers.Load(name); pays {
		return b.Project
	}
	return ""
}

// payment says the same in a call of the older client.
func (b *buckets) payment(name string) []googleapi.CallOption {
	if payer := b.payer(name); payer != "" {
		return []googleapi.CallOption{googleapi.QueryParameter("userProject", payer)}
	}
	return nil
}

// payerAdvice is for calls that are denied although or because they name a project that pays.
const payerAdvice = "requesters pay for this bucket, so Mooring names the account's project as the one that pays: its identity needs serviceusage.services.use there, beside storage.buckets.get"

// readAdvice is for a bucket of which nothing says that the account is to pay for it.
const readAdvice = "requesters pay for this bucket; to have the account's project pay for the calls that Mooring makes, set spec.requesterPays to true"

// billing finds out whether the account's project is to pay for the calls about a bucket.
type billing struct{ of *buckets }

// attributes reads a bucket. The account's project pays only for a bucket that it had before, of which the spec says that requesters pay, or that the project
// has itself: one of somebody else, whose name was taken, may not bill it. Until the cloud was asked, the spec tells whether to name the project. To name it takes a
// permission of its own, so a denial counts only if requesters do pay: else all other settings could not be read before this one is made.
func (b billing) attributes(ctx context.Context, req *request, read func() (*storage.BucketAttrs, error)) (*storage.BucketAttrs, error) {
	says := req.Spec.RequesterPays != nil && *req.Spec.RequesterPays
	guessed := says && b.of.payer(req.Name) == ""
	if guessed {
		b.of.payers.Store(req.Name, true)
	}
	if !says && req.ID == "" && b.of.payer(req.Name) == "" {
		attrs, err := read()
		if !needsPayer(err) {
			return attrs, err
		}
		switch has, failed := b.projectHas(ctx, req.Name); {
		case failed != nil && driver.CodeOf(failed) != driver.Denied:
			return nil, failed
		case !has:
			return nil, &driver.Error{Code: driver.Invalid, Op: "buckets.get", Message: readAdvice, Err: err}
		}
		b.of.payers.Store(req.Name, true)
		return read()
	}
	attrs, err := paying(b.of, req.Name, read)
	if !guessed || driver.CodeOf(err) != driver.Denied {
		return attrs, err
	}
	b.of.payers.Delete(req.Name)
	if plain, other := read(); !needsPayer(other) {
		return plain, other
	}
	b.of.payers.Store(req.Name, true)
	return attrs, err
}

// projectHas reports whether the account's project has a bucket. No call about the bucket itself tells that for free: a list of the project's buckets
// names no payer. That is how a bucket is found whose creation was not recorded, and whose spec no longer says that requesters pay.
// https://cloud.google.com/storage/docs/json_api/v1/buckets/list
func (b billing) projectHas(ctx context.Context, name string) (bool, error) {
	return session.Do(ctx, b.of.Caller, "buckets.list", func(ctx context.Context) (bool, error) {
		it := b.of.storage.Buckets(ctx, b.of.Project)
		it.Prefix = name
		for {
			switch attrs, err := it.Next(); {
			case errors.Is(err, iterator.Done):
				return false, nil
			case err != nil:
				return false, err
			case attrs.Name == name:
				return true, nil
			}
		}
	})
}

// paying makes a call about a bucket, and makes it once more if it has to name a project that pays. Later calls name it at once.
func paying[T any](b *buckets, name string, call func() (T, error)) (T, error) {
	out, err := call()
	if needsPayer(err) && b.payer(name) == "" {
		b.payers.Store(name, true)
		return call()
	}
	return out, err
}

// needsPayer reports whether a call was refused because it names no project that pays: "Bucket is requester pays bucket but no user project
// provided". https://github.com/googleapis/google-cloud-python/issues/4674
func needsPayer(err error) bool {
	answer, ok := errors.AsType[*googleapi.Error](err)
	return ok && answer.Code == http.StatusBadRequest && strings.Contains(answer.Message, "no user project provided")
}
