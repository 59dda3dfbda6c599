package sql

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"google.golang.org/api/sqladmin/v1"
)

var (
	sqlCustomTiers = regexp.MustCompile(`^db-custom-(?:N4-)?([0-9]+)-([0-9]+)$`)
	sqlPlusTiers   = regexp.MustCompile(`^db-(perf-optimized-N-(2|4|8|16|32|48|64|80|96|128)|c4a-highmem-(1|4|8|16|32|48|64|72))$`)
	sqlLegacyTiers = regexp.MustCompile(`^db-n1-(standard|highmem)-[0-9]+$`)
	sqlSharedTiers = []string{"db-f1-micro", "db-g1-small"}
)

// validTier holds tier and edition together. Custom tiers: https://cloud.google.com/sql/docs/postgres/create-instance#machine-types.
func validTier(in, _ *sqladmin.DatabaseInstance) error {
	tier, edition := in.Settings.Tier, in.Settings.Edition
	wrong := func(hint string) error {
		return sqlInvalid(fmt.Sprintf("Invalid Tier (%s) for (%s) Edition. %s", tier, edition, hint))
	}
	switch edition {
	case "ENTERPRISE_PLUS":
		if !sqlPlusTiers.MatchString(tier) {
			return wrong("Use a predefined Tier like db-perf-optimized-N-* instead.")
		}
		// No recording shows that an older version is refused. The versions are those of
		// https://cloud.google.com/sql/docs/postgres/upgrade-cloud-sql-instance-to-enterprise-plus-in-place
		if slices.Contains(sqlNeverPlus, in.DatabaseVersion) {
			return sqlInvalid(fmt.Sprintf("Database version %s is not supported in the ENTERPRISE_PLUS edition.", in.DatabaseVersion))
		}
		return nil
	case "ENTERPRISE":
	default:
		return sqlInvalid("Invalid value at 'settings.edition': " + edition)
	}
	if slices.Contains(sqlSharedTiers, tier) || sqlLegacyTiers.MatchString(tier) {
		return nil
	}
	size := sqlCustomTiers.FindStringSubmatch(tier)
	if size == nil {
		return wrong("Use a Tier like db-custom-1-3840 or a shared-core one instead.")
	}
	cpus, errCPU := strconv.Atoi(size[1])
	mib, errMem := strconv.Atoi(size[2])
	switch {
	case errCPU != nil || errMem != nil || cpus < 1 || cpus > 96 || cpus > 1 && cpus%2 != 0:
		return wrong("The number of vCPUs must be 1 or an even number up to 96.")
	case mib%256 != 0 || mib < 3840:
		return wrong("Memory must be a multiple of 256 MB and at least 3840 MB.")
	case 10*mib < 9*1024*cpus || 10*mib > 65*1024*cpus:
		return wrong("Memory must be between 0.9 and 6.5 GB for a vCPU.")
	}
	return nil
}
