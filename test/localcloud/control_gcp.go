package localcloud

import "google.golang.org/api/sqladmin/v1"

// What tests and people do to Google Cloud beside its APIs.

// SetSQLReplicaLag has the metric replica_lag of a read replica show other values, as SetRDSReplicaLag does for RDS.
func (c *Cloud) SetSQLReplicaLag(project, name string, seconds ...float64) bool {
	return c.sql.SetReplicaLag(project, name, seconds...)
}

// SetSQLDenyPeriods gives an instance periods without maintenance updates, also several, as a Cloud SQL may have it
// that takes them. It reports whether there is such an instance.
func (c *Cloud) SetSQLDenyPeriods(project, instance string, periods ...*sqladmin.DenyMaintenancePeriod) bool {
	return c.sql.SetDenyPeriods(project, instance, periods...)
}

// SetSQLPreCheck says what checks before an upgrade of an instance find from now on; nothing for no finding. A finding whose type is ERROR makes upgrades fail. It reports whether there is such an instance.
func (c *Cloud) SetSQLPreCheck(project, instance string, found ...*sqladmin.PreCheckResponse) bool {
	return c.sql.SetPreCheck(project, instance, found...)
}

// SQLWork returns what is closed once the database server has done its part of an operation, which must be there.
func (c *Cloud) SQLWork(project, operation string) <-chan struct{} {
	return c.sql.Work(project, operation)
}

// DeleteMember deletes an identity, such as serviceAccount:reader@project.iam.gserviceaccount.com: policies show it as deleted from then on, with its unique id, and no
// policy is taken that names it as if it was there. With an empty uid, one of that name is made again, which no policy names yet. The words of the refusal are those of
// https://github.com/hashicorp/terraform-provider-google/issues/5151.
// https://cloud.google.com/iam/docs/policies-deleted-principals
func (c *Cloud) DeleteMember(member, uid string) { c.storage.DeleteMember(member, uid) }

// GCPCallsFrom says where the identity of a project calls from, and what it may.
func (c *Cloud) GCPCallsFrom(project string, caller GCPCaller) { c.gcp.CallsFrom(project, caller) }

// GCPPool makes a provider of a workload identity pool, projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/NAME,
// or changes what it lets in.
func (c *Cloud) GCPPool(provider string, trust GCPTrust) { c.gcp.AddPool(provider, trust) }

// GCPServiceAccount makes a service account that may manage a project, and that these may act as: emails of other service
// accounts, as mooring@PROJECT.iam.gserviceaccount.com is that of GCPKey, and principals of pools.
func (c *Cloud) GCPServiceAccount(email, project string, users ...string) {
	c.gcp.AddActor(email, project, users)
}

// GCPKey returns the JSON of a service-account key that may manage a project. It makes the
// project on first use and returns the same key until it is rotated.
func (c *Cloud) GCPKey(project string) []byte { return c.gcp.Key(project) }

// RevokeGCPKey disables a project's service account: its tokens are refused with 401 at once, and new
// ones are not issued. RestoreGCPKey enables it again.
func (c *Cloud) RevokeGCPKey(project string) { c.gcp.Keys.SetRevoked(project, true) }

// RestoreGCPKey undoes RevokeGCPKey.
func (c *Cloud) RestoreGCPKey(project string) { c.gcp.Keys.SetRevoked(project, false) }

// RotateGCPKey makes another key for a project's service account, which GCPKey returns from then on. The old one is
// refused for good, as are its tokens: Google would let those live on for up to an hour.
func (c *Cloud) RotateGCPKey(project string) { c.AddGCPKey(project)() }

// AddGCPKey makes another key for a project's service account, which GCPKey returns from then on. The old one, and its tokens, are good
// until the returned function is called.
func (c *Cloud) AddGCPKey(project string) (deleteOld func()) { return c.gcp.AnotherKey(project) }

// ExpireGCPTokens ends the life of every access token issued so far that these projects can be managed with, or of all if
// none is named.
func (c *Cloud) ExpireGCPTokens(projects ...string) { c.gcp.ExpireTokens(projects) }

// GCPTokens returns all access tokens so far, in order. They begin and end by Options.SessionNow.
func (c *Cloud) GCPTokens() []GCPToken { return c.gcp.Tokens() }
