package main

import (
	"fmt"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// The accounts that the local clouds are shown with. Their ids are made up.
const (
	awsAccount = "123456789012"
	awsRegion  = "eu-central-1"
	gcpProject = "mooring-quickstart"
	gcpRegion  = "europe-west3"
)

// pace is how long the local cloud's states last: long enough to be seen, short enough to be waited for.
var pace = localcloud.Durations{
	Create: 4 * time.Second, Modify: 2 * time.Second, Delete: 2 * time.Second, Snapshot: 2 * time.Second,
	StorageOptimization: time.Minute,
}

// clouds are the local ones.
type clouds struct{ *localcloud.Cloud }

func startClouds(t *transcript) (*clouds, error) {
	c, err := localcloud.Start(localcloud.Options{Durations: pace})
	if err != nil {
		return nil, fmt.Errorf("start local cloud: %w", err)
	}
	t.step("local AWS            %s", c.AWSEndpoint())
	t.step("local Google Cloud   %s", c.GCPEndpoint())
	t.step("database instances   servers of this machine's PostgreSQL and MariaDB, whatever version the spec requests")
	for _, engine := range []struct{ name, server, packages string }{
		{"postgres", "PostgreSQL", "apt-get install postgresql (brew install postgresql)"},
		{"mysql", "MariaDB", "apt-get install mariadb-server (brew install mariadb)"},
	} {
		if err := localcloud.EngineAvailable(engine.name); err != nil {
			t.step("NO %s SERVER HERE: %s instances only accept connections, and nobody can log in to them.\n%v\nFor real servers: %s",
				engine.server, engine.name, err, engine.packages)
		}
	}
	return &clouds{c}, nil
}

// access is the content of cloud.json: how to reach the local clouds.
func (c *clouds) access() localcloud.Access {
	return localcloud.Access{AWS: c.AWSAccess(awsAccount, awsRegion), GCP: c.GCPAccess(gcpProject, gcpRegion)}
}
