package driver

// The facets of an Observation are below. Each is what only kinds with one capability have. Their getters may be called on nil, as those of
// Protocol Buffers may: a facet that is missing says nothing, and so permits nothing.

// LoginState is the observed state of an administrator's login.
type LoginState struct {
	// PasswordRefused: the cloud accepted a password, and then failed to set it, so it has to be sent again. The
	// earlier password may still be in force, or none. A cloud whose operations have names reports this by
	// OperationError instead.
	PasswordRefused bool `json:",omitempty"`
	// CloudManaged: the cloud manages the administrator's password, or was asked to: it generates, stores and rotates
	// the password.
	CloudManaged bool `json:",omitempty"`
	// PasswordProblem says why the cloud can't manage the password as it should, and what to do. The password can still
	// be used. It is empty if there is no problem.
	PasswordProblem string `json:",omitempty"`
}

// GetPasswordRefused returns PasswordRefused.
func (l *LoginState) GetPasswordRefused() bool { return observed(l).PasswordRefused }

// GetCloudManaged returns CloudManaged.
func (l *LoginState) GetCloudManaged() bool { return observed(l).CloudManaged }

// GetPasswordProblem returns PasswordProblem.
func (l *LoginState) GetPasswordProblem() string { return observed(l).PasswordProblem }

// Replication describes the primary and the read replicas of an object.
type Replication struct {
	// Follows describes the primary of a read replica; nil if the object is none. While it is a replica, no change is
	// reported for fields that the cloud does not let a replica have as the spec declares.
	Follows *Following `json:",omitempty"`
	// Followers are the names of the object's read replicas in the cloud, sorted. They include replicas that are being
	// created or deleted. They are also reported for a Deletion.
	Followers []string `json:",omitempty"`
}

// GetFollows returns Follows.
func (r *Replication) GetFollows() *Following { return observed(r).Follows }

// GetFollowers returns Followers.
func (r *Replication) GetFollowers() []string { return observed(r).Followers }

// Succession is the result of a blue/green deployment: which server replaced which.
type Succession struct {
	// Succeeds is the id of the server that this one replaced, as the cloud reports it for the operation in the
	// request. Neither the name nor the mark shows it. It is empty if the cloud reports nothing.
	//
	// During the switchover, the observation is Pending and has the ID of the request, whichever server has the name.
	// Operation stays set until the request has the new ID, and the former server as Former.
	Succeeds string `json:",omitempty"`
	// Former is the server that was replaced: the one of Succeeds, or else Request.Former. It is nil if there is none,
	// or if it was deleted.
	Former *Former `json:",omitempty"`
}

// GetSucceeds returns Succeeds.
func (s *Succession) GetSucceeds() string { return observed(s).Succeeds }

// GetFormer returns Former.
func (s *Succession) GetFormer() *Former { return observed(s).Former }

// Backup is what the cloud still has of an object that was deleted.
type Backup struct {
	// FinalSnapshot is the state of the final snapshot in Request.Deletion: Absent, Pending, Ready or Failed, or
	// Unknown if it was not looked for. A driver looks for it once the object is Absent.
	FinalSnapshot State `json:",omitempty"`
	// Restorable is what the cloud still has of the object in Request.Vanished. It is nil if the request has none, or
	// if there is an object of that name.
	Restorable *Restorable `json:",omitempty"`
}

// GetFinalSnapshot returns FinalSnapshot.
func (b *Backup) GetFinalSnapshot() State { return observed(b).FinalSnapshot }

// GetRestorable returns Restorable.
func (b *Backup) GetRestorable() *Restorable { return observed(b).Restorable }

// observed returns a facet, or one that says nothing if there is none.
func observed[F any](facet *F) (value F) {
	if facet != nil {
		value = *facet
	}
	return value
}

// UnexpectedFacets returns the names of the facets that an observation has although the kind lacks the capability.
// Support needs no capability.
func (r Resource) UnexpectedFacets(o *Observation) (names []string) {
	can := r.Capabilities
	for _, facet := range []struct {
		name      string
		has, lack bool
	}{
		{"Login", o.Login != nil, !can.Login},
		{"Replication", o.Replication != nil, !can.Replicas},
		{"Succession", o.Succession != nil, !can.Beside},
		{"Backup", o.Backup != nil, !can.Snapshots && !can.Restores},
		{"Actions", len(o.Actions) > 0, len(can.Actions) == 0},
		{"SnapshotDetails", o.SnapshotDetails != nil, r.Source == ""},
	} {
		if facet.has && facet.lack {
			names = append(names, facet.name)
		}
	}
	return names
}
