package rds

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// Versions lists the versions of each engine, oldest first. Those with -rds are releases of Extended Support.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/extended-support-versions.html
var Versions = map[string][]string{
	"postgres": {
		"13.20", "13.21", "13.22", "13.23-rds.20260224", "14.17", "14.18", "14.19", "15.12", "15.13", "15.14",
		"16.3", "16.4", "16.8", "16.9", "16.10", "17.4", "17.5", "17.6",
	},
	"mysql":   {"8.0.40", "8.0.41", "8.0.42", "8.0.43", "8.0.46", "8.0.46-rds.20260908", "8.4.4", "8.4.5", "8.4.6"},
	"mariadb": {"10.6.21", "10.6.22", "10.11.11", "10.11.13", "11.4.5", "11.4.7", "11.8.3"},
}

// rdsDefaultMajor is what an engine gets without a version.
var rdsDefaultMajor = map[string]string{"postgres": "17", "mysql": "8.4", "mariadb": "11.4"}

// rdsClasses lists the sizes of each family of instance classes.
var rdsClasses = map[string][]string{
	"t3":  {"micro", "small", "medium", "large", "xlarge", "2xlarge"},
	"t4g": {"micro", "small", "medium", "large", "xlarge", "2xlarge"},
	"m5":  {"large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge"},
	"m6g": {"large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge"},
	"m6i": {"large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge", "32xlarge"},
	"m7g": {"large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge"},
	"m8g": {"large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge", "48xlarge"},
	"r5":  {"large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge"},
	"r6g": {"large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge"},
	"r6i": {"large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge", "32xlarge"},
	"r7g": {"large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge"},
	"r8g": {"large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge", "48xlarge"},
	"x2g": {"large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge"},
}

// Certificates are the certificate authorities that an instance may have.
var Certificates = []string{"rds-ca-rsa2048-g1", "rds-ca-rsa4096-g1", "rds-ca-ecc384-g1"}

func validClass(class string) error {
	parts := strings.Split(class, ".")
	if len(parts) != 3 || parts[0] != "db" || !slices.Contains(rdsClasses[parts[1]], parts[2]) {
		return invalidValue("Invalid DB Instance class: %s", class)
	}
	return nil
}

// MajorVersion is the part of a version that only AllowMajorVersionUpgrade changes: 16 of 16.3, 8.0 of 8.0.40, 10.11
// of 10.11.13.
func MajorVersion(engine, version string) string {
	parts := strings.Split(version, ".")
	if engine != "postgres" && len(parts) > 1 {
		return parts[0] + "." + parts[1]
	}
	return parts[0]
}

// resolveVersion finds the version that is asked for: a bare major is its newest minor of the community.
func resolveVersion(engine, asked string) (string, error) {
	if asked == "" {
		asked = rdsDefaultMajor[engine]
	}
	for _, version := range slices.Backward(Versions[engine]) {
		if version == asked || MajorVersion(engine, version) == asked && !strings.Contains(version, "-rds.") {
			return version, nil
		}
	}
	return "", invalidCombination("Cannot find version %s for %s", asked, engine)
}

// olderVersion compares two versions of one engine.
func olderVersion(engine, a, b string) bool {
	return slices.Index(Versions[engine], a) < slices.Index(Versions[engine], b)
}

// postgresReleases are the minor versions of PostgreSQL that were released together, oldest first. https://www.postgresql.org/support/versioning/
var postgresReleases = [][]string{
	{"16.3"}, {"16.4"}, {"13.20", "14.17", "15.12", "16.8", "17.4"}, {"13.21", "14.18", "15.13", "16.9", "17.5"}, {"13.22", "13.23-rds.20260224", "14.19", "15.14", "16.10", "17.6"},
}

func releaseOf(engine, version string) int {
	return slices.IndexFunc(postgresReleases, func(all []string) bool { return engine == "postgres" && slices.Contains(all, version) })
}

// UpgradeTargets returns the versions that one can be upgraded to: newer ones, and of PostgreSQL none that was released before it. People report that 12.18 goes to 16.2 and not to 16.1, and no recording shows
// targets across major versions: https://github.com/civiform/cloud-deploy-infra/pull/321. Of MySQL and MariaDB we know no such rule.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.PostgreSQL.MajorVersion.html
func UpgradeTargets(engine, from string) []rdstypes.UpgradeTarget {
	var targets []rdstypes.UpgradeTarget
	for _, version := range Versions[engine] {
		if olderVersion(engine, from, version) && releaseOf(engine, version) >= releaseOf(engine, from) {
			targets = append(targets, rdstypes.UpgradeTarget{
				Engine: aws.String(engine), EngineVersion: aws.String(version), Description: aws.String(engine + " " + version),
				IsMajorVersionUpgrade: aws.Bool(MajorVersion(engine, version) != MajorVersion(engine, from)), AutoUpgrade: aws.Bool(false),
			})
		}
	}
	return targets
}

// engineVersions are the versions of all engines, or the default one of each, unless a call asks for a version.
func engineVersions(in *rds.DescribeDBEngineVersionsInput) (found []rdstypes.DBEngineVersion, _ error) {
	for _, engine := range []string{"mariadb", "mysql", "postgres"} {
		standard, _ := resolveVersion(engine, "")
		for _, version := range Versions[engine] {
			if aws.ToBool(in.DefaultOnly) && in.EngineVersion == nil && version != standard {
				continue
			}
			found = append(found, rdstypes.DBEngineVersion{
				Engine: aws.String(engine), EngineVersion: aws.String(version), MajorEngineVersion: aws.String(MajorVersion(engine, version)),
				DBParameterGroupFamily: aws.String(familyOf(engine, version)), Status: aws.String("available"),
				DBEngineDescription: aws.String(engine), ValidUpgradeTarget: UpgradeTargets(engine, version),
			})
		}
	}
	return found, nil
}

var (
	rdsIdentifier = regexp.MustCompile(`^[a-zA-Z](?:-?[a-zA-Z0-9])*$`)
	rdsUsername   = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`)
	rdsDBName     = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`)
)

// rdsReserved lists names that an engine keeps for itself.
var rdsReserved = map[string][]string{
	"postgres": {"admin", "rdsadmin", "rdsrepladmin", "rds_superuser", "rds_replication", "replication", "db", "user", "public", "none", "table", "select", "template0", "template1"},
	"mariadb":  {"root", "rdsadmin", "rdsrepladmin", "mysql", "sys", "information_schema", "performance_schema", "rdsproxyadmin", "table", "select", "innodb"},
	"mysql":    {"root", "rdsadmin", "rdsrepladmin", "mysql", "sys", "information_schema", "performance_schema", "rdsproxyadmin", "table", "select", "innodb"},
}

func validIdentifier(parameter, name string, longest int) error {
	if len(name) == 0 || len(name) > longest || !rdsIdentifier.MatchString(name) {
		return invalidValue("The parameter %s is not a valid identifier. Identifiers must begin with a letter; "+
			"must contain only ASCII letters, digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens.", parameter)
	}
	return nil
}

func validUsername(engine, name string) error {
	longest := map[string]int{"postgres": 63, "mysql": 16, "mariadb": 16}[engine]
	switch {
	case len(name) == 0 || len(name) > longest || !rdsUsername.MatchString(name) || strings.HasPrefix(name, "pg_"):
		return invalidValue("The parameter MasterUsername is not valid: 1 to %d letters, digits or underscores, a letter first", longest)
	case slices.Contains(rdsReserved[engine], strings.ToLower(name)):
		return invalidValue("MasterUsername %s cannot be used as it is a reserved word used by the engine", name)
	}
	return nil
}

func validPassword(engine, password string) error {
	longest := map[string]int{"postgres": 128, "mysql": 41, "mariadb": 41}[engine]
	if len(password) < 8 || len(password) > longest {
		return invalidValue("The parameter MasterUserPassword is not a valid password because it is shorter than 8 or longer than %d characters.", longest)
	}
	for _, r := range password {
		if r <= ' ' || r > '~' || strings.ContainsRune(`/@"`, r) {
			return invalidValue(`The parameter MasterUserPassword is not a valid password. Only printable ASCII characters besides '/', '@', '"', ' ' may be used.`)
		}
	}
	return nil
}

func validDBName(engine, name string) error {
	longest := map[string]int{"postgres": 63, "mysql": 64, "mariadb": 64}[engine]
	switch {
	case len(name) > longest || !rdsDBName.MatchString(name):
		return invalidValue("DBName must begin with a letter and contain only alphanumeric characters.")
	case slices.Contains(rdsReserved[engine], strings.ToLower(name)):
		return invalidValue("Database name cannot be %s: it is a reserved word used by the engine", name)
	}
	return nil
}
