package s3

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// siteEndCost is what it costs that a bucket is no web site any more.
var siteEndCost = driver.Cost{
	Text:   "the website endpoint of the bucket answers all requests with 404 from then on; the objects stay",
	Source: "https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketWebsite.html",
}

// documentEffect is what another document does.
func documentEffect(from *string, to string, _ *bucket) (driver.Effect, string) {
	return portable.WebsiteEffect(from, to)
}

// websiteRows are what a bucket serves as a web site. S3 has one call for all of it.
var websiteRows = table.Table[v1alpha1.BucketParameters, bucket, params]{
	table.Field("website.indexDocument", portable.WantedIndex,
		func(b *bucket) *string { return b.index },
		func(p *params, v string) { p.index = &v },
	).Reported(func(b *bucket) *string {
		if b.redirects {
			return nil
		}
		return session.NonEmpty(b.index)
	}).Equal(func(want, have string) bool { return want == have }, "`website: {}` is no web site").
		EffectOf(documentEffect, portable.WebsiteEffects(siteEndCost)...),

	table.Field("website.errorDocument", portable.WantedErrorDocument,
		func(b *bucket) *string { return b.errorDocument },
		func(p *params, v string) { p.errorDocument = &v },
	).Reported(func(b *bucket) *string { return session.NonEmpty(b.errorDocument) }).
		EffectOf(documentEffect, portable.WebsiteEffects(siteEndCost)...),

	table.Field("website.redirectAllRequestsTo", portable.WantedRedirect,
		func(b *bucket) *string { return b.redirectTo },
		func(p *params, v string) { p.redirectTo = &v },
	).Reported(func(b *bucket) *string { return session.NonEmpty(b.redirectTo) }),
}

// websitePart reads and writes the web site.
func websitePart(b aspects) table.Part[v1alpha1.BucketParameters, bucket, params] {
	return table.Part[v1alpha1.BucketParameters, bucket, params]{
		Fields: []string{"website.indexDocument", "website.errorDocument", "website.redirectAllRequestsTo"}, Taken: table.Names{"index", "errorDocument", "redirectTo"}, Blind: true,
		Read: func(ctx context.Context, req *request, into *bucket) error {
			return b.readWebsite(ctx, req.Name, into)
		},
		Write: func(ctx context.Context, req *request, have *bucket, params *params, _ []driver.Change) (string, error) {
			if err := checkSite(req.Spec.Website); err != nil { // also of what does not change: the two would replace each other without end
				return "", err
			}
			return "", b.writeWebsite(ctx, req.Name, have.index != nil, params)
		},
	}
}

// siteOf returns the web site of a bucket; an empty one if there is none.
func siteOf(ctx context.Context, b aspects, name string) (types.WebsiteConfiguration, error) {
	out, err := session.Call(ctx, b.Session, "GetBucketWebsite", b.s3.GetBucketWebsite, &s3.GetBucketWebsiteInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	switch {
	case err == nil:
		return types.WebsiteConfiguration{IndexDocument: out.IndexDocument, ErrorDocument: out.ErrorDocument, RoutingRules: out.RoutingRules,
			RedirectAllRequestsTo: out.RedirectAllRequestsTo}, nil
	case session.ErrorCode(err) == "NoSuchWebsiteConfiguration":
		return types.WebsiteConfiguration{}, nil
	}
	return types.WebsiteConfiguration{}, err
}

func (b aspects) readWebsite(ctx context.Context, name string, into *bucket) error {
	site, err := siteOf(ctx, b, name)
	if err != nil {
		return err
	}
	into.index, into.errorDocument, into.redirectTo = new(""), new(""), new("")
	if site.IndexDocument != nil {
		into.index = new(aws.ToString(site.IndexDocument.Suffix))
	}
	if site.ErrorDocument != nil {
		into.errorDocument = new(aws.ToString(site.ErrorDocument.Key))
	}
	if to := site.RedirectAllRequestsTo; to != nil { // which has neither document
		into.index, into.redirects = new("(all requests are redirected to "+aws.ToString(to.HostName)+")"), true
		into.redirectTo = new(aws.ToString(to.HostName))
		if to.Protocol != "" {
			into.redirectTo = new(string(to.Protocol) + "://" + *into.redirectTo)
		}
	}
	return nil
}

// redirect is what the spec says of one in the words of S3.
func redirect(to string) *types.RedirectAllRequestsTo {
	protocol, host, named := strings.Cut(to, "://")
	if !named {
		return &types.RedirectAllRequestsTo{HostName: &to}
	}
	return &types.RedirectAllRequestsTo{HostName: &host, Protocol: types.Protocol(protocol)}
}

// checkSite refuses documents beside a redirect. The rules of the CRD do so where both are in one object, and do not see those of its class.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_WebsiteConfiguration.html
func checkSite(site *v1alpha1.BucketWebsite) error {
	if site == nil || site.RedirectAllRequestsTo == nil || site.IndexDocument == nil {
		return nil
	}
	return table.Fields{"website.redirectAllRequestsTo", "website.indexDocument"}.Refuse(
		"website.redirectAllRequestsTo excludes website.indexDocument, because a bucket that redirects all requests serves no documents: remove one of them, here or in the class")
}

// writeWebsite changes the documents and keeps the routing rules, which are not in the spec. A bucket that redirects all requests has no
// documents, so that ends. A new bucket is known to have none, so it is not read. https://docs.aws.amazon.com/AmazonS3/latest/API/API_WebsiteConfiguration.html
func (b aspects) writeWebsite(ctx context.Context, name string, isNew bool, p *params) error {
	if p.index != nil && *p.index == "" {
		_, err := session.Call(ctx, b.Session, "DeleteBucketWebsite", b.s3.DeleteBucketWebsite, &s3.DeleteBucketWebsiteInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
		return err
	}
	var site types.WebsiteConfiguration
	if p.redirectTo != nil {
		site.RedirectAllRequestsTo = redirect(*p.redirectTo)
	} else if !isNew {
		var err error
		if site, err = siteOf(ctx, b, name); err != nil {
			return err
		}
	}
	if p.index != nil {
		site.IndexDocument, site.RedirectAllRequestsTo = &types.IndexDocument{Suffix: p.index}, nil
	}
	if p.errorDocument != nil && *p.errorDocument == "" { // S3 takes no empty key
		site.ErrorDocument = nil
	} else if p.errorDocument != nil {
		site.ErrorDocument = &types.ErrorDocument{Key: p.errorDocument}
	}
	_, err := session.Call(ctx, b.Session, "PutBucketWebsite", b.s3.PutBucketWebsite, &s3.PutBucketWebsiteInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(), WebsiteConfiguration: &site,
	})
	return err
}
