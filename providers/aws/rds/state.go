package rds

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// serving are the states in which an instance answers, once it has an endpoint.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html
var serving = map[string]bool{
	"available": true, "backing-up": true, "configuring-enhanced-monitoring": true,
	"configuring-iam-database-auth": true, "configuring-log-exports": true, "delete-precheck": true,
	"modifying": true, "resetting-master-credentials": true, "storage-config-upgrade": true,
	"storage-initialization": true, "storage-optimization": true,
}

// credentialsRefused is the state of an instance that could not take the password it was sent.
const credentialsRefused = "incompatible-credentials"

// problems are the states that do not end by themselves, with what AWS's documentation says of them.
var problems = map[string]string{
	"failed":                              "RDS can't recover the instance; restore it from a backup",
	"inaccessible-encryption-credentials": "the KMS key of the instance can't be used, and the instance can't be recovered",
	"inaccessible-encryption-credentials-recoverable": "the KMS key of the instance can't be used: make it usable and start the instance",
	"incompatible-create":                             "RDS can't create the instance with these resources",
	credentialsRefused:                                "the administrator's password could not be set",
	"incompatible-network":                            "the network of the instance can't serve it, because a subnet has no free IP address or is gone: correct the subnets of its DB subnet group, and ask AWS Support if the status stays",
	"incompatible-option-group":                       "RDS can neither apply nor undo a change of the option group",
	unfit:                                             "the server does not start with the parameters that its DB parameter group sets: correct spec.parameters, and Mooring restarts the server; or correct the group, and restart the server in RDS",
	"incompatible-restore":                            "RDS could not restore the data of the instance, which can only be deleted: delete this object, or restore a snapshot as another instance",
	"insufficient-capacity":                           "AWS found no machine for the instance class, and never changes such an instance: delete this object, and create it again later or with another spec.aws.instanceClass or spec.size",
	"restore-error":                                   "restoring the instance failed",
	"storage-full":                                    "the disk is full: set a larger spec.storage.sizeGiB",
}

// stateOf translates the status of an instance. storage-full and incompatible-credentials are no rest, but they end by a
// change, so the instance must count as taking one: a larger disk, the password sent again.
func stateOf(status string) (state driver.State, problem string) {
	problem = problems[status]
	switch {
	case status == "available" || status == "storage-optimization" || status == "stopped":
		return driver.Ready, ""
	case status == "storage-full" || status == credentialsRefused || status == unfit:
		return driver.Ready, status + ": " + problem
	case status == "deleting":
		return driver.Deleting, ""
	case problem != "":
		return driver.Failed, status + ": " + problem
	case strings.HasPrefix(status, "incompatible-"):
		return driver.Failed, status
	}
	return driver.Pending, ""
}

// works are what RDS does in the states in which it takes no changes, in plain words. It does not say since when.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html
var works = map[string]driver.Work{
	"backing-up":                      {What: "taking a backup"},
	"configuring-enhanced-monitoring": {What: "changing its monitoring"},
	"configuring-iam-database-auth":   {What: "changing its authentication"},
	"configuring-log-exports":         {What: "changing its log exports"},
	"converting-to-vpc":               {What: "moving it to a VPC"},
	"creating":                        {What: "creating it"},
	"delete-precheck":                 {What: "checking whether it can be deleted"},
	"deleting":                        {What: "deleting it"},
	"maintenance":                     {What: "maintaining it"},
	"modifying":                       {What: "applying a change"},
	"moving-to-vpc":                   {What: "moving it to a VPC"},
	"rebooting":                       {What: "restarting it"},
	"renaming":                        {What: "renaming it"},
	"resetting-master-credentials":    {What: "setting the administrator's password"},
	"starting":                        {What: "starting it"},
	"stopping":                        {What: "stopping it"},
	"storage-config-upgrade":          {What: "upgrading the configuration of its storage"},
	"storage-initialization":          {What: "loading its storage from a snapshot"},
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.ModifyingExisting.html
	"storage-optimization": {What: "optimizing its storage after a change, and the disk can't change again before that is done", Usually: "some hours"},
	"upgrading":            {What: "upgrading its engine"},
}

// workOf returns what RDS is at work on, nothing if it takes changes or has not begun.
func workOf(status string, state driver.State) driver.Work {
	if state != driver.Pending && state != driver.Deleting {
		return driver.Work{}
	}
	return works[status]
}

// available reports whether an instance can be connected to.
func available(i *instance) bool {
	return i.Endpoint != nil && aws.ToString(i.Endpoint.Address) != "" && serving[aws.ToString(i.DBInstanceStatus)]
}

// housekeeping are the states in which RDS is at work by itself and takes no changes, while the instance
// serves as ever: the nightly backup comes first.
var housekeeping = map[string]bool{
	"backing-up": true, "configuring-enhanced-monitoring": true, "configuring-log-exports": true,
	"storage-config-upgrade": true, "storage-initialization": true,
}

const growth = "storage.sizeGiB"

// ofDisk are the fields of the disk, which RDS takes one change at a time of. That a volume for logs is among them, no document says: RDS copies the logs
// between volumes for it, and it can wait for some hours.
var ofDisk = []string{growth, "aws.storageType", "aws.iops", "aws.throughputMiBps", "aws.dedicatedLogVolume"}

// whileItWaits corrects state and changes by what RDS is at and what waits in PendingModifiedValues.
func whileItWaits(req *request, have *instance, o *driver.Observation) {
	status := aws.ToString(have.DBInstanceStatus)
	o.Changes = fixedTwice(&req.Spec, fixedByGroup(&req.Spec, have, withoutRestart(have, groupsComeWithMove(&req.Spec, have, o.Changes))))
	rememberGroups(req, have, o)
	rememberInForce(req, have, o)
	rememberAsked(req, have, o)
	waits := waiting(req, have, o.Changes)
	o.Changes = withRolesAgain(have, o.Changes)
	o.Changes = withoutIdleRole(&req.Spec, have, o.Changes) // it waits for nothing
	if takesOptions(&req.Spec, have) {
		waits = append(waits, optionGroup)
	}
	if rolesWork(&req.Spec, have) != (driver.Work{}) {
		waits = append(waits, fieldRoles)
	}
	differs := o.Changes
	o.State, o.Changes = whileBusy(have, o.State, whileUnfit(have, withoutTaken(req, o.Mark, differs)))
	o.LeftOut = table.LeftOut(differs, o.Changes)
	o.State = whileWaiting(status, o.State, len(o.Changes) > 0 || !o.Mark.Is(req.Mark), waits)
	o.State = whileManaged(have, status, o.State, len(o.Changes) > 0)
	o.Work = workOf(status, o.State)
	if o.State == driver.Pending && o.Work == (driver.Work{}) {
		o.Work = cmp.Or(rolesWork(&req.Spec, have), rolesWorkInTheWay(have, differs))
	}
	if o.State == driver.Pending && o.Login.GetCloudManaged() && o.Endpoint.PasswordSecret == "" && status == "available" {
		o.Work = driver.Work{What: "storing the administrator's password in AWS Secrets Manager"}
	}
	if o.State == driver.Ready { // else nothing is sent, and what waits may be what RDS is at
		o.Changes = costBeside(req.Beside, withBackupFirst(req.Beside, have, withStandby(withUpgrade(withWaits(have, o.Changes)))))
	}
	o.Changes = withUnknownKey(req, have, o.Mark, onceStarted(have, o.Changes))
	// A password that waits was sent after the one that was refused.
	o.Login = &driver.LoginState{
		PasswordRefused: status == credentialsRefused && !slices.Contains(waits, masterPassword),
		CloudManaged:    o.Login.GetCloudManaged(), PasswordProblem: o.Login.GetPasswordProblem(),
	}
}

// whileBusy weighs differences against what RDS takes now, and returns the state and the changes to report.
//
// While RDS is at work by itself (see housekeeping), an instance without differences is Ready, or each backup would make it look as if it were
// not up to date; with differences it is Pending.
//
// In storage-optimization, which lasts hours after a disk grew or changed its type, IOPS or throughput, RDS takes all changes but another of the disk.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.ModifyingExisting.html
//
// While a server is taking its parameter group, it takes all changes but those of the group.
//
// With other changes at hand those come first, and what RDS does not take is left out. Alone, that makes the instance Pending: it says why nothing happens, and
// nobody calls in vain. A stop is no change of the disk, and stays for stopsLater to refuse: it may wait for consent first, and the message names it.
func whileBusy(have *instance, state driver.State, changes []driver.Change) (driver.State, []driver.Change) {
	status := aws.ToString(have.DBInstanceStatus)
	if housekeeping[status] && len(changes) == 0 {
		return driver.Ready, nil
	}
	others := slices.DeleteFunc(slices.Clone(changes), func(c driver.Change) bool {
		return isTaking(c) || !isStopped(have) && rolesWait(have, c) || status == "storage-optimization" && slices.Contains(ofDisk, c.Field)
	})
	switch {
	case len(others) > 0:
		return state, others
	case len(changes) > 0 && state == driver.Ready:
		state = driver.Pending
	}
	return state, changes
}

// masterPassword stands for the administrator's password among what waits, as RDS names it.
const masterPassword = "MasterUserPassword"

// waiting returns the fields that are not yet as the spec wants them, and will be by what waits in
// PendingModifiedValues: they differ, but are not among changes. A password in there always counts, as RDS never leaves
// one for the maintenance window.
func waiting(req *request, have *instance, changes []driver.Change) []string {
	if have.PendingModifiedValues == nil {
		return nil
	}
	present := *have
	present.PendingModifiedValues = nil
	differs := driver.Names(changes)
	waits := driver.Names(slices.DeleteFunc(rows.Diff(&req.Spec, &present, req.Applied, ofGroup),
		func(c driver.Change) bool { return slices.Contains(differs, c.Field) || withheld(req, have, c) }))
	if have.PendingModifiedValues.MasterUserPassword != nil && (have.MasterUserSecret == nil || aws.ToString(have.MasterUserSecret.SecretStatus) != secretRotating) {
		waits = append(waits, masterPassword)
	}
	return waits
}

// ofGroup reports whether the DB parameter group holds a field, which no value of PendingModifiedValues does then.
func ofGroup(name string) bool { return name == "parameters" || name == "tls" }

// cures are the fields whose change ends a problem.
var cures = map[string]string{"storage-full": growth, credentialsRefused: masterPassword}

// whileWaiting returns the state of an instance whose status says that it rests, while wanted values wait. RDS stays
// available for some seconds after it was asked, and a value that somebody left for the maintenance window looks the
// same: either way the instance is not as declared yet.
//
// Values may wait for a week, so what is to be written still comes first: then the instance is Ready, and takes changes. A
// password waits for seconds only, and nothing may be made of it before RDS took it.
func whileWaiting(status string, state driver.State, toWrite bool, waits []string) driver.State {
	switch {
	case state != driver.Ready || status == "stopped" || len(waits) == 0:
		return state
	case problems[status] != "" && !slices.Contains(waits, cures[status]):
		return state
	case toWrite && !slices.Contains(waits, masterPassword):
		return state
	}
	return driver.Pending
}
