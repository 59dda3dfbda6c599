package rds_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	localrds "github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// Each major version that instances can have has an end of its standard support, and those of MySQL and PostgreSQL have Extended Support after it.
func TestRDSMajorVersions(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	_, err := client.DescribeDBMajorEngineVersions(t.Context(), &rds.DescribeDBMajorEngineVersionsInput{Engine: aws.String("oracle")})
	sdk.WantCode(t, err, "InvalidParameterValue")
	all := check.Need(client.DescribeDBMajorEngineVersions(t.Context(), &rds.DescribeDBMajorEngineVersionsInput{}))(t).DBMajorEngineVersions
	seen := map[string]bool{}
	for _, v := range all {
		seen[*v.Engine+localrds.MajorVersion(*v.Engine, *v.MajorEngineVersion)] = true
		kinds := v.SupportedEngineLifecycles
		if want := map[bool]int{true: 1, false: 2}[*v.Engine == "mariadb"]; len(kinds) != want || kinds[0].LifecycleSupportName != types.LifecycleSupportNameOpenSourceRdsStandardSupport {
			t.Errorf("%s %s: %+v", *v.Engine, *v.MajorEngineVersion, kinds)
			continue
		}
		if first := kinds[0]; !first.LifecycleSupportStartDate.Before(*first.LifecycleSupportEndDate) || first.LifecycleSupportEndDate.Year() < 2026 {
			t.Errorf("%s %s: standard support is from %v to %v", *v.Engine, *v.MajorEngineVersion, first.LifecycleSupportStartDate, first.LifecycleSupportEndDate)
		}
		if len(kinds) == 2 && (kinds[1].LifecycleSupportStartDate.Sub(*kinds[0].LifecycleSupportEndDate) != time.Millisecond || !kinds[1].LifecycleSupportEndDate.After(*kinds[1].LifecycleSupportStartDate)) {
			t.Errorf("%s %s: %+v", *v.Engine, *v.MajorEngineVersion, kinds)
		}
	}
	for engine, versions := range localrds.Versions {
		for _, version := range versions {
			if major := engine + localrds.MajorVersion(engine, version); !seen[major] {
				t.Errorf("nothing is said of %s", major)
			}
		}
	}
	one := check.Need(client.DescribeDBMajorEngineVersions(t.Context(), &rds.DescribeDBMajorEngineVersionsInput{Engine: aws.String("mysql"), MajorEngineVersion: aws.String("8.4")}))(t).DBMajorEngineVersions
	if len(one) != 1 || *one[0].MajorEngineVersion != "8.4" {
		t.Errorf("of one version it says %+v", one)
	}
}

// A server has a certificate once it is there, and another one of another authority.
func TestRDSCertificates(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Create: time.Minute, Modify: time.Minute})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("db")))(t)
	if got := sdk.Describe(t, client, "db").CertificateDetails; got != nil {
		t.Errorf("while it is created: %+v", got)
	}
	clock.Advance(time.Hour)
	first := sdk.Describe(t, client, "db").CertificateDetails
	if first == nil || *first.CAIdentifier != localrds.Certificates[0] || !first.ValidTill.After(clock.Now().AddDate(0, 11, 0)) {
		t.Fatalf("the certificate is %+v", first)
	}
	clock.Advance(time.Hour)
	check.Need(client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{
		DBInstanceIdentifier: aws.String("db"), CACertificateIdentifier: &localrds.Certificates[1], ApplyImmediately: aws.Bool(true),
	}))(t)
	clock.Advance(time.Hour)
	if next := sdk.Describe(t, client, "db").CertificateDetails; *next.CAIdentifier != localrds.Certificates[1] || !next.ValidTill.After(*first.ValidTill) {
		t.Errorf("after another authority: %+v, before it %+v", next, first)
	}
}
