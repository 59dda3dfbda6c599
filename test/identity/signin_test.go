package identity

import (
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A signIn is a way to reach an identity. open makes the cloud let tenants come that way; config is the name of the provider
// config that they come by.
type signIn struct {
	name string
	cloud
	// web: it begins with a token of a ServiceAccount, else with a Secret. session: there is one that can end.
	web, session bool
	allow        func(w *fixture, config string, tenants ...tenant) identity
}

// An identity is what a provider config says, and who its tenants are to the cloud.
type identity struct {
	chain  v1alpha1.IdentityChain
	secret func() driver.Credentials // nil if there is none
	// caller is who comes for a tenant; sessions are those of AWS that lead there, from first to last.
	caller   func(tenant) string
	sessions func(tenant) []localcloud.AWSSession
	// shut and reopen take the last step's trust away and give it back; advice is what a refusal has to say then.
	shut, reopen func(tenant)
	advice       func(tenant) []string
}

var signIns = []signIn{
	{"static keys", amazon, false, false, staticKeys},
	{"keys and a role", amazon, false, true, oneRole},
	{"keys and two roles", amazon, false, true, twoRoles},
	{"web identity", amazon, true, true, webRole},
	{"web identity and a role", amazon, true, true, webAndRole},
	{"key", google, false, true, key},
	{"key and impersonation", google, false, true, keyAndActing},
	{"federation", google, true, true, federation},
	{"federation and impersonation", google, true, true, federationAndActing},
}

func (w *fixture) roleARN(account, name string) string {
	return fmt.Sprintf("arn:aws:iam::%s:role/%s-%s", account, w.name, name)
}

func subjects(tenants []tenant) []string {
	var all []string
	for _, n := range tenants {
		all = append(all, n.subject())
	}
	return all
}

// without returns the subjects of all tenants but one.
func without(tenants []tenant, out tenant) []string {
	all := []string{"nobody"} // a list that is empty admits everybody in Google Cloud
	for _, n := range tenants {
		if n != out {
			all = append(all, n.subject())
		}
	}
	return all
}

func staticKeys(w *fixture, _ string, _ ...tenant) identity {
	return identity{
		secret: func() driver.Credentials { return amazon.keys(w) },
		caller: func(tenant) string { return "arn:aws:iam::" + w.account + ":user/mooring" },
	}
}

// sessionName is what the session of a tenant is called.
func sessionName(config string, n tenant) string { return "mooring-" + n.name + "-" + config }

func (w *fixture) sessionARN(account, role, config string, n tenant) string {
	return fmt.Sprintf("arn:aws:sts::%s:assumed-role/%s-%s/%s", account, w.name, role, sessionName(config, n))
}

func tags(config string, n tenant) map[string]string {
	return map[string]string{"mooring:namespace": n.name, "mooring:providerConfig": config}
}

// required are the tags without which the fixture's roles let nobody in.
var required = []string{"mooring:namespace", "mooring:providerConfig"}

// oneRole is a role for one tenant, whom it tells by the uid of its namespace.
func oneRole(w *fixture, config string, tenants ...tenant) identity {
	id, arn, n := staticKeys(w, config, tenants...), w.roleARN(w.account, "direct"), tenants[0]
	user := id.caller(n)
	trust := localcloud.AWSTrust{Principals: []string{w.account}, ExternalID: string(n.uid), TagSession: true, RequireTags: required}
	id.chain.AssumeRoles = []v1alpha1.AssumeRole{{RoleARN: arn}}
	id.caller = func(n tenant) string { return w.sessionARN(w.account, "direct", config, n) }
	id.sessions = func(n tenant) []localcloud.AWSSession {
		return []localcloud.AWSSession{{Role: arn, Name: sessionName(config, n), By: user, ExternalID: string(n.uid), Tags: tags(config, n)}}
	}
	id.reopen = func(tenant) { w.Cloud.AWSRole(arn, trust) }
	id.shut = func(tenant) {
		other := trust
		other.ExternalID = "another"
		w.Cloud.AWSRole(arn, other)
	}
	id.advice = func(n tenant) []string { return []string{arn, string(n.uid), "sts:ExternalId", "trust policy"} }
	id.reopen(n)
	return id
}

// andRole adds a role in another account to an identity, which it agreed upon an external id with.
func andRole(w *fixture, config string, id identity, from string) identity {
	arn, before, by := w.roleARN(w.other, "second"), id.sessions, id.caller
	trust := localcloud.AWSTrust{Principals: []string{from}, ExternalID: "agreed", TagSession: true, RequireTags: required}
	id.chain.AssumeRoles = append(id.chain.AssumeRoles, v1alpha1.AssumeRole{RoleARN: arn, ExternalID: "agreed"})
	id.caller = func(n tenant) string { return w.sessionARN(w.other, "second", config, n) }
	id.sessions = func(n tenant) []localcloud.AWSSession {
		return append(before(n), localcloud.AWSSession{Role: arn, Name: sessionName(config, n), By: by(n), ExternalID: "agreed", Tags: tags(config, n)})
	}
	id.reopen = func(tenant) { w.Cloud.AWSRole(arn, trust) }
	id.shut = func(tenant) { w.Cloud.AWSRole(arn, localcloud.AWSTrust{}) }
	id.advice = func(tenant) []string { return []string{arn, `"agreed"`, "trust policy"} }
	id.reopen(tenant{})
	return id
}

func twoRoles(w *fixture, config string, tenants ...tenant) identity {
	return andRole(w, config, oneRole(w, config, tenants...), w.roleARN(w.account, "direct"))
}

// webRole is a role for ServiceAccounts, one of each tenant.
func webRole(w *fixture, config string, tenants ...tenant) identity {
	arn := w.roleARN(w.account, "web")
	admit := func(subjects []string) {
		w.Cloud.AWSRole(arn, localcloud.AWSTrust{Issuer: w.issuer, Subjects: subjects})
	}
	admit(subjects(tenants))
	return identity{
		chain:  v1alpha1.IdentityChain{WebIdentity: &v1alpha1.WebIdentity{ServiceAccountName: serviceAccount, RoleARN: arn}},
		caller: func(n tenant) string { return w.sessionARN(w.account, "web", config, n) },
		sessions: func(n tenant) []localcloud.AWSSession {
			return []localcloud.AWSSession{{Role: arn, Name: sessionName(config, n), By: n.subject()}}
		},
		shut:   func(n tenant) { admit(without(tenants, n)) },
		reopen: func(tenant) { admit(subjects(tenants)) },
		advice: func(n tenant) []string { return []string{arn, n.subject(), "trust policy", "OIDC provider"} },
	}
}

func webAndRole(w *fixture, config string, tenants ...tenant) identity {
	return andRole(w, config, webRole(w, config, tenants...), w.roleARN(w.account, "web"))
}

func key(w *fixture, _ string, _ ...tenant) identity {
	return identity{
		secret: func() driver.Credentials { return google.keys(w) },
		caller: func(tenant) string { return "mooring@" + w.project + ".iam.gserviceaccount.com" },
	}
}

// andActing adds a service account to an identity, which acts as that.
func andActing(w *fixture, id identity, what string, tenants ...tenant) identity {
	email, by := fmt.Sprintf("%s@%s.iam.gserviceaccount.com", what, w.project), id.caller
	admit := func(out tenant) {
		var users []string
		for _, n := range tenants {
			if n != out {
				users = append(users, by(n))
			}
		}
		w.Cloud.GCPServiceAccount(email, w.project, users...)
	}
	id.chain.ImpersonateServiceAccount = email
	id.caller = func(tenant) string { return email }
	id.shut, id.reopen = admit, func(tenant) { admit(tenant{}) }
	id.advice = func(tenant) []string { return []string{email, "roles/iam."} }
	id.reopen(tenant{})
	return id
}

func keyAndActing(w *fixture, config string, tenants ...tenant) identity {
	return andActing(w, key(w, config), "direct", tenants...)
}

// pool is a provider whose identities may manage a project; none if they are to act as others.
func pool(w *fixture, name, project string, tenants ...tenant) identity {
	provider := fmt.Sprintf("projects/1/locations/global/workloadIdentityPools/%s/providers/%s", w.name, name)
	admit := func(subjects []string) {
		w.Cloud.GCPPool(provider, localcloud.GCPTrust{Issuer: w.issuer, Subjects: subjects, Project: project})
	}
	admit(subjects(tenants))
	return identity{
		chain:  v1alpha1.IdentityChain{WebIdentity: &v1alpha1.WebIdentity{ServiceAccountName: serviceAccount, Provider: provider}},
		caller: func(n tenant) string { return localcloud.GCPPrincipal(provider, n.subject()) },
		shut:   func(n tenant) { admit(without(tenants, n)) },
		reopen: func(tenant) { admit(subjects(tenants)) },
		advice: func(n tenant) []string { return []string{provider, n.subject(), "attribute condition"} },
	}
}

func federation(w *fixture, _ string, tenants ...tenant) identity {
	return pool(w, "all", w.project, tenants...)
}

func federationAndActing(w *fixture, _ string, tenants ...tenant) identity {
	return andActing(w, pool(w, "none", "", tenants...), "federated", tenants...)
}
