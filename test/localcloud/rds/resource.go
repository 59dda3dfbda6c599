package rds

import (
	"iter"
	"net/http"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// A resource is a type of resources: how ARNs name it, and what RDS says of one that does not exist.
type resource struct{ arn, fault, words string }

// The words of instances, snapshots and parameter groups are recorded. The codes are those of the reference.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Tagging.ARN.html
var (
	instanceResource    = resource{"db", "DBInstanceNotFound", "DBInstance %s not found."}
	clusterResource     = resource{"cluster", "DBClusterNotFoundFault", "DBCluster %s not found."}
	snapshotResource    = resource{"snapshot", "DBSnapshotNotFound", "DBSnapshot %s not found."}
	groupResource       = resource{"pg", "DBParameterGroupNotFound", "DBParameterGroup not found: %s"}
	deploymentResource  = resource{"deployment", "BlueGreenDeploymentNotFoundFault", "BlueGreenDeployment %s not found."}
	backupResource      = resource{"auto-backup", "DBInstanceAutomatedBackupNotFound", "No automated backup for this DB instance was found."}
	subnetGroupResource = resource{"subgrp", "DBSubnetGroupNotFoundFault", "DB subnet group '%s' does not exist."}
	optionGroupResource = resource{"og", "OptionGroupNotFoundFault", "Specified OptionGroupName: %s not found."}
	certificateResource = resource{"cert", "CertificateNotFound", "Certificate %s not found."}
)

// missing is the refusal of a name that nothing has.
func (r resource) missing(name string) error {
	return amazon.Err(http.StatusNotFound, r.fault, strings.ReplaceAll(r.words, "%s", name))
}

// arn is the ARN of a resource of the caller's account and region; without a name, what all of them begin with.
func (c *call) arn(r resource, name string) string {
	return "arn:aws:rds:" + c.caller.Region + ":" + c.caller.Account + ":" + r.arn + ":" + name
}

// ownKey returns the key for an identifier or an ARN of this account and region.
func (c *call) ownKey(name string, r resource) Key {
	if rest, ok := strings.CutPrefix(name, c.arn(r, "")); ok {
		name = rest
	}
	return c.key(name)
}

// own are those of a map that are of the caller's account and region, without an order.
func own[T any](c *call, all map[Key]T) iter.Seq2[Key, T] {
	return func(yield func(Key, T) bool) {
		for key, one := range all {
			if key.account == c.caller.Account && key.region == c.caller.Region && !yield(key, one) {
				return
			}
		}
	}
}

func count[K, V any](all iter.Seq2[K, V]) (n int) {
	for range all {
		n++
	}
	return n
}

// listed are the resources of the caller as a list shows them: a stale one lacks the last write to any of them.
func listed[T any](c *call, all map[Key]*cloud.Past[T]) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		lagging, _ := cloud.Newest(all)
		for key, p := range own(c, all) {
			if one := p.Read(c.stale && key == lagging); one != nil && !yield(one) {
				return
			}
		}
	}
}
