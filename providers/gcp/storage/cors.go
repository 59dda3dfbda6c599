package storage

import (
	"slices"
	"time"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// originLack are origins with a * and more: Cloud Storage takes "*" for all origins, and every other origin as it is.
// https://cloud.google.com/storage/docs/json_api/v1/buckets (cors[].origin)
var originLack = driver.Lack{
	Field: "cors", Match: `"allowedOrigins":\[("[^"]*",)*"([^"*]+\*[^"]*|\*[^"]+)"`, Values: `an origin with "*" for a part of it`,
	Why: `Cloud Storage compares origins as a whole, and knows only "*" for all`, Instead: "name each origin in spec.cors, or allow all",
}

// corsRow is which pages of other origins may use a bucket.
var corsRow = table.Rules("cors",
	func(p *v1alpha1.BucketParameters) []v1alpha1.CORSRule { return p.CORS },
	haveCORS,
	func(p *parameters, v []v1alpha1.CORSRule) { p.CORS = v },
	func(r v1alpha1.CORSRule) v1alpha1.CORSRule { return portable.NormalizeCORS(bothHeaders(r)) },
	"another order within a rule, and upper case in headers; allowedHeaders and exposeHeaders are one list")

// bothHeaders returns a rule that allows and exposes the same headers. Cloud Storage has one list: what a preflight request asks for is
// compared with it, and an answer exposes it. https://cloud.google.com/storage/docs/cross-origin
func bothHeaders(r v1alpha1.CORSRule) v1alpha1.CORSRule {
	headers := slices.Concat(r.AllowedHeaders, r.ExposeHeaders)
	r.AllowedHeaders, r.ExposeHeaders = headers, headers
	return r
}

func haveCORS(b *bucket) *[]v1alpha1.CORSRule {
	rules := make([]v1alpha1.CORSRule, 0, len(b.CORS))
	for _, r := range b.CORS {
		rule := v1alpha1.CORSRule{AllowedOrigins: r.Origins, AllowedMethods: r.Methods, AllowedHeaders: r.ResponseHeaders, ExposeHeaders: r.ResponseHeaders}
		if seconds := int32(r.MaxAge / time.Second); seconds > 0 {
			rule.MaxAgeSeconds = &seconds
		}
		rules = append(rules, rule)
	}
	return &rules
}

// storageCORS returns the rules as Cloud Storage takes them; never nil, which would leave those that are there.
func storageCORS(rules []v1alpha1.CORSRule) []storage.CORS {
	out := make([]storage.CORS, 0, len(rules))
	for _, r := range rules {
		headers := slices.Clone(r.AllowedHeaders)
		for _, h := range r.ExposeHeaders {
			if !slices.Contains(headers, h) {
				headers = append(headers, h)
			}
		}
		rule := storage.CORS{Origins: r.AllowedOrigins, Methods: r.AllowedMethods, ResponseHeaders: headers}
		if r.MaxAgeSeconds != nil {
			rule.MaxAge = time.Duration(*r.MaxAgeSeconds) * time.Second
		}
		out = append(out, rule)
	}
	return out
}
