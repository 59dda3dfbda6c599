package s3_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestS3RequestPayment(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("payment")
	sdk.MakeBucket(t, client, *name)
	put := func(payer types.Payer) error {
		_, err := client.PutBucketRequestPayment(ctx, &s3.PutBucketRequestPaymentInput{
			Bucket: name, RequestPaymentConfiguration: &types.RequestPaymentConfiguration{Payer: payer},
		})
		return err
	}
	for _, want := range []types.Payer{"", types.PayerRequester, types.PayerBucketOwner} {
		if want != "" {
			sdk.WantCode(t, put(want), "")
		} else {
			want = types.PayerBucketOwner
		}
		if got := check.Need(client.GetBucketRequestPayment(ctx, &s3.GetBucketRequestPaymentInput{Bucket: name}))(t).Payer; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	sdk.WantCode(t, put("Everybody"), "MalformedXML")
	_, err := client.GetBucketRequestPayment(ctx, &s3.GetBucketRequestPaymentInput{Bucket: aws.String("no-such-payment")})
	sdk.WantCode(t, err, "NoSuchBucket")
}

func TestS3CORS(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("cors")
	sdk.MakeBucket(t, client, *name)
	get := func() ([]types.CORSRule, error) {
		out, err := client.GetBucketCors(ctx, &s3.GetBucketCorsInput{Bucket: name})
		if err != nil {
			return nil, err
		}
		return out.CORSRules, nil
	}
	put := func(rules ...types.CORSRule) error {
		_, err := client.PutBucketCors(ctx, &s3.PutBucketCorsInput{Bucket: name, CORSConfiguration: &types.CORSConfiguration{CORSRules: append([]types.CORSRule{}, rules...)}})
		return err
	}
	rule := func(change func(*types.CORSRule)) types.CORSRule {
		r := types.CORSRule{AllowedMethods: []string{"GET"}, AllowedOrigins: []string{"https://a"}}
		change(&r)
		return r
	}
	_, err := get()
	sdk.WantCode(t, err, "NoSuchCORSConfiguration")
	sdk.WantCode(t, put(rule(func(r *types.CORSRule) { r.AllowedHeaders, r.MaxAgeSeconds = []string{"X-a*"}, aws.Int32(7) }), rule(func(*types.CORSRule) {})), "")
	if got := check.Need(get())(t); len(got) != 2 || got[0].AllowedHeaders[0] != "X-a*" || *got[0].MaxAgeSeconds != 7 || got[1].MaxAgeSeconds != nil {
		t.Errorf("got %+v", got)
	}
	for want, r := range map[string]types.CORSRule{
		"InvalidRequest method":        rule(func(r *types.CORSRule) { r.AllowedMethods = []string{"PATCH"} }),
		"InvalidRequest origin":        rule(func(r *types.CORSRule) { r.AllowedOrigins = []string{"*.a.*"} }),
		"InvalidRequest header":        rule(func(r *types.CORSRule) { r.AllowedHeaders = []string{"*-*"} }),
		"InvalidRequest exposed":       rule(func(r *types.CORSRule) { r.ExposeHeaders = []string{"*"} }),
		"MalformedXML without origins": rule(func(r *types.CORSRule) { r.AllowedOrigins = []string{} }),
	} {
		code, _, _ := strings.Cut(want, " ")
		t.Run(want, func(t *testing.T) { sdk.WantCode(t, put(r), code) })
	}
	sdk.WantCode(t, put(), "MalformedXML")
	check.Need(client.DeleteBucketCors(ctx, &s3.DeleteBucketCorsInput{Bucket: name}))(t)
	_, err = get()
	sdk.WantCode(t, err, "NoSuchCORSConfiguration")
}

func TestS3Website(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("website")
	sdk.MakeBucket(t, client, *name)
	get := func() (*s3.GetBucketWebsiteOutput, error) {
		return client.GetBucketWebsite(ctx, &s3.GetBucketWebsiteInput{Bucket: name})
	}
	put := func(site types.WebsiteConfiguration) error {
		_, err := client.PutBucketWebsite(ctx, &s3.PutBucketWebsiteInput{Bucket: name, WebsiteConfiguration: &site})
		return err
	}
	index := func(suffix string) *types.IndexDocument { return &types.IndexDocument{Suffix: &suffix} }
	redirect := &types.RedirectAllRequestsTo{HostName: aws.String("a.example.com"), Protocol: "https"}
	_, err := get()
	sdk.WantCode(t, err, "NoSuchWebsiteConfiguration")
	sdk.WantCode(t, put(types.WebsiteConfiguration{IndexDocument: index("i"), ErrorDocument: &types.ErrorDocument{Key: aws.String("e")},
		RoutingRules: []types.RoutingRule{{Redirect: &types.Redirect{ReplaceKeyWith: aws.String("k")}}}}), "")
	if got := check.Need(get())(t); *got.IndexDocument.Suffix != "i" || *got.ErrorDocument.Key != "e" || len(got.RoutingRules) != 1 || *got.RoutingRules[0].Redirect.ReplaceKeyWith != "k" {
		t.Errorf("got %+v", got)
	}
	sdk.WantCode(t, put(types.WebsiteConfiguration{RedirectAllRequestsTo: redirect}), "")
	if got := check.Need(get())(t); *got.RedirectAllRequestsTo.HostName != "a.example.com" || got.IndexDocument != nil {
		t.Errorf("got %+v", got)
	}
	sdk.WantCode(t, put(types.WebsiteConfiguration{RedirectAllRequestsTo: redirect, IndexDocument: index("i")}), "InvalidArgument")
	sdk.WantCode(t, put(types.WebsiteConfiguration{ErrorDocument: &types.ErrorDocument{Key: aws.String("e")}}), "InvalidArgument")
	sdk.WantCode(t, put(types.WebsiteConfiguration{IndexDocument: index("a/b")}), "InvalidArgument")
	for want, rule := range map[string]types.RoutingRule{
		"InvalidRequest two keys":        {Redirect: &types.Redirect{ReplaceKeyWith: aws.String("k"), ReplaceKeyPrefixWith: aws.String("p")}},
		"MalformedXML empty redirect":    {Redirect: &types.Redirect{}},
		"MalformedXML no host":           {Redirect: &types.Redirect{HostName: aws.String("")}},
		"InvalidRequest protocol":        {Redirect: &types.Redirect{HostName: aws.String("a.example.com"), Protocol: "ftp"}},
		"InvalidRequest 300":             {Redirect: &types.Redirect{HostName: aws.String("a.example.com"), HttpRedirectCode: aws.String("300")}},
		"MalformedXML moved":             {Redirect: &types.Redirect{HostName: aws.String("a.example.com"), HttpRedirectCode: aws.String("moved")}},
		"InvalidRequest empty condition": {Condition: &types.Condition{}, Redirect: &types.Redirect{HostName: aws.String("a.example.com")}},
		"InvalidRequest 302":             {Condition: &types.Condition{HttpErrorCodeReturnedEquals: aws.String("302")}, Redirect: &types.Redirect{HostName: aws.String("a.example.com")}},
	} {
		t.Run(want, func(t *testing.T) {
			code, _, _ := strings.Cut(want, " ")
			sdk.WantCode(t, put(types.WebsiteConfiguration{IndexDocument: index("i"), RoutingRules: []types.RoutingRule{rule}}), code)
		})
	}
	whole := types.RoutingRule{
		Condition: &types.Condition{HttpErrorCodeReturnedEquals: aws.String("404"), KeyPrefixEquals: aws.String("docs/")},
		Redirect:  &types.Redirect{HostName: aws.String("a.example.com"), HttpRedirectCode: aws.String("307"), Protocol: "https", ReplaceKeyPrefixWith: aws.String("")},
	}
	sdk.WantCode(t, put(types.WebsiteConfiguration{IndexDocument: index("i"), RoutingRules: slices.Repeat([]types.RoutingRule{whole}, 51)}), "InvalidRequest")
	sdk.WantCode(t, put(types.WebsiteConfiguration{IndexDocument: index("i"), RoutingRules: slices.Repeat([]types.RoutingRule{whole}, 50)}), "")
	if got := check.Need(get())(t).RoutingRules; len(got) != 50 || *got[0].Redirect.ReplaceKeyPrefixWith != "" || *got[0].Condition.KeyPrefixEquals != "docs/" {
		t.Errorf("the rules are %+v", got)
	}
	check.Need(client.DeleteBucketWebsite(ctx, &s3.DeleteBucketWebsiteInput{Bucket: name}))(t)
	_, err = get()
	sdk.WantCode(t, err, "NoSuchWebsiteConfiguration")
}
