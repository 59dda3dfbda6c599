package driver

// The facets of an Observation are below. Each is what only kinds with one capability have. Their getters may be called on nil, as those of
// Protocol Buffers may: a facet that is missing says nothing, and so permits nothing.

// LoginState is what was observed of an administrator's login.
type LoginState struct {
	// PasswordRefused: the cloud accepted a password, and then could not set it. The one before may still hold or none;
	// the one that was sent does not, and has to be sent again. A cloud whose operations have names says so by
	// OperationError in its place.
	PasswordRefused bool `json:",omitempty"`
	// CloudManaged: the cloud manages the administrator's password, or was asked to: it makes it, keeps it and changes it.
	CloudManaged bool `json:",omitempty"`
	// PasswordProblem says why the cloud can't manage that password as it should, although it can be used, and what to do. It is empty if
	// the cloud can.
	PasswordProblem string `json:",omitempty"`
}

// GetPasswordRefused returns PasswordRefused.
func (l *LoginState) GetPasswordRefused() bool { return observed(l).PasswordRefused }

// GetCloudManaged returns CloudManaged.
func (l *LoginState) GetCloudManaged() bool { return observed(l).CloudManaged }

// GetPasswordProblem returns PasswordProblem.
func (l *LoginState) GetPasswordProblem() string { return observed(l).PasswordProblem }

// Replication is which objects follow which.
type Replication struct {
	// Follows says what the object follows. It is nil for one that follows none. Until the object follows none, no change is reported of a
	// field that the cloud does not let such an object have as the spec says.
	Follows *Following `json:",omitempty"`
	// Followers are the names in the cloud of the objects that follow this one, in their order, those included that are being made or
	// deleted. They are there for a Deletion, too.
	Followers []string `json:",omitempty"`
}

// GetFollows returns Follows.
func (r *Replication) GetFollows() *Following { return observed(r).Follows }

// GetFollowers returns Followers.
func (r *Replication) GetFollowers() []string { return observed(r).Followers }

// Succession is which object the cloud put in the place of which.
type Succession struct {
	// Succeeds is the identity of the object in whose place the cloud put this one. The cloud says so of the operation in the request, and
	// no name and no mark does. It is empty if the cloud says nothing of the kind. While the two change places, the observation is Pending and
	// has the identity of the request, whichever object has the name. Operation is there until the request has the new identity, and the
	// former object as Former.
	Succeeds string `json:",omitempty"`
	// Former is the object in whose place this one was put: that of Succeeds, or else of Request.Former. It is nil if there is none, or if it
	// is gone.
	Former *Former `json:",omitempty"`
}

// GetSucceeds returns Succeeds.
func (s *Succession) GetSucceeds() string { return observed(s).Succeeds }

// GetFormer returns Former.
func (s *Succession) GetFormer() *Former { return observed(s).Former }

// Backup is what the cloud still has of an object that is gone.
type Backup struct {
	// FinalSnapshot is the state of the final snapshot that Request.Deletion names: Unknown if nobody looked for it, Absent, Pending, Ready
	// or Failed. A driver looks for it once the object is Absent.
	FinalSnapshot State `json:",omitempty"`
	// Restorable is what the cloud still has of the object that Request.Vanished names. It is nil if the request names none, or if an object
	// has the name.
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

// UnexpectedFacets returns the names of the facets that an observation of the kind must not have, because the kind lacks the capability. Support
// needs no capability: a cloud that says nothing of it leaves it out.
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
