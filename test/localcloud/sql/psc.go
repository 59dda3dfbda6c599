package sql

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

var (
	sqlConsumers   = regexp.MustCompile(`^([a-z][a-z0-9-]{4,28}[a-z0-9]|[0-9]+)$`)
	sqlAttachments = regexp.MustCompile(`^projects/[^/]+/regions/([^/]+)/networkAttachments/[a-z][a-z0-9-]*$`)
)

func pscOf(in *sqladmin.DatabaseInstance) *sqladmin.PscConfig {
	if c := in.Settings.IpConfiguration.PscConfig; c != nil {
		return c
	}
	return &sqladmin.PscConfig{}
}

// settlePSC completes Private Service Connect: what is empty does not show, and an endpoint that Cloud SQL makes says how far it has come. No recording shows that.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#PscConfig
func settlePSC(c *change) {
	config, ok := c.addressing["pscConfig"].(google.Object)
	if !ok {
		return
	}
	for _, list := range []string{"allowedConsumerProjects", "pscAutoConnections"} {
		if google.Empty(config[list]) {
			delete(config, list)
		}
	}
	connections, _ := config["pscAutoConnections"].([]any)
	for _, one := range connections {
		if connection, ok := one.(google.Object); ok {
			google.Defaults(connection, google.Object{"status": "CREATE_IN_PROGRESS"})
		}
	}
}

// validPSC holds Private Service Connect to its values, and to being set with the creation. No recording shows the refusals, nor their words, nor what an existing
// server takes: whoever reports that has turned it on for one, and could name no network beside that.
// https://cloud.google.com/sql/docs/postgres/about-private-service-connect
// https://github.com/terraform-google-modules/terraform-google-sql-db/issues/742
func validPSC(in, old *sqladmin.DatabaseInstance) error {
	c := pscOf(in)
	switch {
	case old != nil && pscOf(old).PscEnabled != c.PscEnabled:
		return sqlInvalid("Private Service Connect can't be changed for an existing instance.")
	case !c.PscEnabled && (len(c.AllowedConsumerProjects) > 0 || len(c.PscAutoConnections) > 0 || c.NetworkAttachmentUri != ""):
		return sqlInvalid("PSC settings can only be set if PSC connectivity is enabled.")
	}
	for _, project := range c.AllowedConsumerProjects {
		if !sqlConsumers.MatchString(project) {
			return sqlInvalid("Invalid consumer project: " + project)
		}
	}
	for _, connection := range c.PscAutoConnections {
		parts := strings.Split(strings.TrimPrefix(connection.ConsumerNetwork, "https://www.googleapis.com/compute/v1/"), "/")
		if len(parts) != 5 || parts[0] != "projects" || parts[3] != "networks" {
			return sqlInvalid("Invalid consumer network: " + connection.ConsumerNetwork)
		}
		if _, there := sqlNetworks[parts[4]]; !there {
			return sqlInvalid("The network " + connection.ConsumerNetwork + " does not exist.")
		}
	}
	if uri := c.NetworkAttachmentUri; uri != "" {
		if found := sqlAttachments.FindStringSubmatch(uri); found == nil || found[1] != in.Region {
			return sqlInvalid("Invalid network attachment, or its region differs from the instance's: " + uri)
		}
	}
	return nil
}

// attachment is what Cloud SQL says of the service attachment of an instance: it is in a project of Google's. No recording shows one.
// https://cloud.google.com/sql/docs/postgres/about-private-service-connect
func attachment(in *sqlInstance, resource google.Object) google.Object {
	now := google.Typed[sqladmin.DatabaseInstance](resource)
	if !pscOf(now).PscEnabled {
		return google.Object{}
	}
	sum := sha256.Sum256([]byte(in.project + "/" + in.engineID))
	return google.Object{
		"pscServiceAttachmentLink": fmt.Sprintf("projects/t%x-tp/regions/%s/serviceAttachments/a-%s-psc-service-attachment-%s",
			sum[:8], now.Region, hex.EncodeToString(sum[:6]), hex.EncodeToString(sum[6:14])),
		"dnsName": sqlHost(in, resource, sqlDomains["PUBLIC"]),
	}
}
