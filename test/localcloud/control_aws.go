package localcloud

import "time"

// What tests and people do to AWS beside its API.

// SetRDSReplicaLag has the metric ReplicaLag of a read replica show other values, in seconds: one a minute, the newest first, over and over. None are those of a replica that is up to date.
func (c *Cloud) SetRDSReplicaLag(account, region, name string, seconds ...float64) bool {
	return c.rds.SetReplicaLag(account, region, name, seconds...)
}

// SetRDSUpgradeObstacle says what RDS finds from now on before it upgrades an instance to another major version: the upgrade then ends without having changed anything, and an event says so. Empty is nothing. It reports whether there is
// such an instance that rests. Whether other changes that were asked for together with the version are made then, no document says: here none is.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.PostgreSQL.MajorVersion.Process.html
func (c *Cloud) SetRDSUpgradeObstacle(account, region, name, obstacle string) bool {
	return c.rds.SetUpgradeObstacle(account, region, name, obstacle)
}

// ImpairSecret makes the secret of an account's instance impaired, or heals it: as where somebody takes the KMS key away from RDS and gives it back. It reports
// whether there is a secret.
func (c *Cloud) ImpairSecret(account, region, name string, impaired bool) bool {
	return c.rds.ImpairSecret(account, region, name, impaired)
}

// LimitRDS gives an account other limits than the usual ones.
func (c *Cloud) LimitRDS(account string, l RDSLimits) { c.rds.Limit(account, l) }

// SetRDSStatus brings an instance that rests into a status: for example its disk is full, its subnet is gone, or a fault is
// corrected. It reports whether there is such an instance.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html
func (c *Cloud) SetRDSStatus(account, region, name, status string) bool {
	return c.rds.SetStatus(account, region, name, status)
}

// TrustRDS has the trust policy of a role, by its ARN, name RDS. An association that is INVALID stays so, and one that is made after that is not: whether RDS looks again by
// itself, no source says.
func (c *Cloud) TrustRDS(role string) { c.rds.Trust(role) }

// LimitS3 gives all accounts another number of buckets that they may have than the usual one.
func (c *Cloud) LimitS3(buckets int) { c.s3.Limit(buckets) }

// LagS3 has S3 go on for so long to refuse public policies of an account's buckets where a block of public access was lifted. S3 names no time: people report seconds.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html https://github.com/env0/templates/pull/174
func (c *Cloud) LagS3(account string, lag time.Duration) { c.s3.Lag(account, lag) }

// DeletePrincipal deletes an IAM role or user: bucket policies show it by its unique id from then on, and S3 takes no policy with its ARN or its id. With an
// empty id, one of that name is made again, which no policy names yet.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html#principal-roles
func (c *Cloud) DeletePrincipal(arn, id string) { c.s3.DeletePrincipal(arn, id) }

// AWSKeys returns the access key of an account's user, who may do everything in it. The account (12
// digits) is made on first use; its key is the same in every local cloud, until it is rotated.
func (c *Cloud) AWSKeys(account string) (accessKeyID, secretAccessKey string) {
	return c.keys.Current(account)
}

// RevokeAWSKeys deactivates the key of an account's user until RestoreAWSKeys. Sessions of roles live on, as in AWS.
func (c *Cloud) RevokeAWSKeys(account string) { c.keys.Revoke(account, true) }

// RestoreAWSKeys undoes RevokeAWSKeys.
func (c *Cloud) RestoreAWSKeys(account string) { c.keys.Revoke(account, false) }

// RotateAWSKeys gives an account's user a new key, which AWSKeys returns from then on. The old one is refused for good.
func (c *Cloud) RotateAWSKeys(account string) { c.AddAWSKey(account)() }

// AddAWSKey gives an account's user another key, which AWSKeys returns from then on. The old one is good until the returned
// function is called.
func (c *Cloud) AddAWSKey(account string) (deleteOld func()) { return c.keys.Another(account) }

// AWSRole makes a role (arn:aws:iam::<account>:role/<name>), which may do everything in its account, or changes its trust.
func (c *Cloud) AWSRole(arn string, trust AWSTrust) { c.keys.Trust(arn, trust) }

// RemoveAWSRole deletes a role. Its sessions are unknown from then on (InvalidClientTokenId).
func (c *Cloud) RemoveAWSRole(arn string) { c.keys.RemoveRole(arn) }

// RevokeAWSSessions revokes the sessions that a role has now, as AWS does: by a policy that denies them everything
// (AccessDenied, with an explicit deny). Those that follow are good.
func (c *Cloud) RevokeAWSSessions(arn string) { c.keys.RevokeSessions(arn) }

// ExpireAWSSessions ends the life of every session so far (ExpiredToken).
func (c *Cloud) ExpireAWSSessions() { c.keys.ExpireSessions() }

// AWSSessions returns all sessions so far, in order. They begin and end by Options.SessionNow.
func (c *Cloud) AWSSessions() []AWSSession { return c.keys.Issued() }
