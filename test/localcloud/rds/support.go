package rds

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// An rdsLifecycle is from when until when RDS supports a major version of an engine, as days: the last day of its standard
// support, and that of Extended Support, which MariaDB lacks.
type rdsLifecycle struct{ since, standard, extended string }

// rdsLifecycles are the major versions of each engine.
// https://docs.aws.amazon.com/AmazonRDS/latest/PostgreSQLReleaseNotes/postgresql-release-calendar.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/MySQL.Concepts.VersionMgmt.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/MariaDB.Concepts.VersionMgmt.html
var rdsLifecycles = map[string]map[string]rdsLifecycle{
	"postgres": {
		"13": {"2021-02-24", "2026-02-28", "2029-02-28"},
		"14": {"2022-02-03", "2027-02-28", "2030-02-28"},
		"15": {"2023-02-27", "2028-02-29", "2031-02-28"},
		"16": {"2024-02-27", "2029-02-28", "2032-02-29"},
		"17": {"2025-02-20", "2030-02-28", "2033-02-28"},
	},
	"mysql": {
		"8.0": {"2018-10-23", "2026-07-31", "2029-07-31"},
		"8.4": {"2024-11-21", "2029-07-31", "2032-07-31"},
	},
	"mariadb": {
		"10.6":  {"2022-02-03", "2026-08-31", ""},
		"10.11": {"2023-08-21", "2028-02-29", ""},
		"11.4":  {"2024-10-15", "2029-05-31", ""},
		"11.8":  {"2025-08-25", "2030-06-30", ""},
	},
}

// checkMajorVersions refuses an engine that RDS does not have. No recording shows it.
func checkMajorVersions(in *rds.DescribeDBMajorEngineVersionsInput) error {
	if in.Engine != nil && rdsLifecycles[*in.Engine] == nil {
		return invalidValue("Unrecognized engine name: %s", *in.Engine)
	}
	return nil
}

// majorVersions says until when RDS supports engines. No recording shows an answer, nor at which hour of its last day support ends.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/extended-support-viewing-support-dates.html
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBMajorEngineVersions.html
func majorVersions(*rds.DescribeDBMajorEngineVersionsInput) (found []rdstypes.DBMajorEngineVersion, _ error) {
	for _, engine := range []string{"mariadb", "mysql", "postgres"} {
		last := ""
		for _, version := range Versions[engine] {
			major := MajorVersion(engine, version)
			if major == last {
				continue
			}
			last = major
			found = append(found, rdstypes.DBMajorEngineVersion{
				Engine: aws.String(engine), MajorEngineVersion: aws.String(major), SupportedEngineLifecycles: rdsLifecycles[engine][major].shown(),
			})
		}
	}
	return found, nil
}

// shown is how an answer names what support there is: each ends with its last day, and the second begins with the day after the first.
func (l rdsLifecycle) shown() []rdstypes.SupportedEngineLifecycle {
	day := func(text string) time.Time {
		at, _ := time.Parse(time.DateOnly, text) // of the table above, which its test reads
		return at
	}
	endOf := func(text string) *time.Time { return aws.Time(day(text).Add(24*time.Hour - time.Millisecond)) }
	all := []rdstypes.SupportedEngineLifecycle{{
		LifecycleSupportName:      rdstypes.LifecycleSupportNameOpenSourceRdsStandardSupport,
		LifecycleSupportStartDate: aws.Time(day(l.since)), LifecycleSupportEndDate: endOf(l.standard),
	}}
	if l.extended != "" {
		all = append(all, rdstypes.SupportedEngineLifecycle{
			LifecycleSupportName:      rdstypes.LifecycleSupportNameOpenSourceRdsExtendedSupport,
			LifecycleSupportStartDate: aws.Time(day(l.standard).Add(24 * time.Hour)), LifecycleSupportEndDate: endOf(l.extended),
		})
	}
	return all
}

// certificateDays is how long the certificate of a server is valid here. No document says how long it is at RDS, which replaces it before it ends where the
// engine takes that without a restart. Here it stays.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.SSL-certificate-rotation.html
const certificateDays = 365

// certify gives an instance a certificate of the authority that it names. The one that the server really shows lasts longer: it has the machine's clock.
// A recorded instance shows these details; none shows whether they are there during the creation, where here they are not.
func (in *Instance) certify(now time.Time) {
	in.db.CertificateDetails = &rdstypes.CertificateDetails{
		CAIdentifier: in.db.CACertificateIdentifier, ValidTill: aws.Time(now.Truncate(time.Second).Add(certificateDays * 24 * time.Hour)),
	}
}
