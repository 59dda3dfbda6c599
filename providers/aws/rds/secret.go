package rds

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What AWS says of the secret with the password of an administrator that RDS manages. While RDS changes the password, the secret has the one before or the new
// one, and can be read.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_MasterUserSecret.html (SecretStatus)
const (
	secretCreating = "creating"
	secretRotating = "rotating"
	secretImpaired = "impaired"
)

// usableSecret returns the ARN of the secret with the password that RDS manages; empty if RDS manages none, or before the secret can be read.
func usableSecret(have *instance) string {
	if have.MasterUserSecret == nil || aws.ToString(have.MasterUserSecret.SecretStatus) == secretCreating {
		return ""
	}
	return aws.ToString(have.MasterUserSecret.SecretArn)
}

// secretProblem says why RDS no longer changes the password that it manages, and what to do.
func secretProblem(have *instance) string {
	if have.MasterUserSecret == nil || aws.ToString(have.MasterUserSecret.SecretStatus) != secretImpaired {
		return ""
	}
	return fmt.Sprintf("RDS can't change the administrator's password in AWS Secrets Manager any more (the secret is impaired), although the password there can still be used: "+
		"let RDS use the secret %s and its KMS key %s again, or set spec.credentials.source to Generated, wait until that is applied, and set it back",
		aws.ToString(have.MasterUserSecret.SecretArn), aws.ToString(have.MasterUserSecret.KmsKeyId))
}

// whileManaged corrects the state of an instance whose password RDS manages. Before the secret can be read nobody can log in anew, so the instance is Pending.
// While RDS changes the password by itself, every week, an instance without differences is Ready, as with other housekeeping. What RDS was asked to set there is
// no password of ours.
func whileManaged(have *instance, status string, state driver.State, differs bool) driver.State {
	if have.MasterUserSecret == nil {
		return state
	}
	switch secret := aws.ToString(have.MasterUserSecret.SecretStatus); {
	case state == driver.Ready && available(have) && usableSecret(have) == "":
		return driver.Pending
	case secret == secretRotating && status == "resetting-master-credentials" && !differs:
		return driver.Ready
	}
	return state
}

// checkManagement refuses a password alone for an instance whose password RDS manages, as RDS does: somebody may have turned that on a moment ago.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (MasterUserPassword)
func checkManagement(params *instanceParams, have *instance) error {
	if params.MasterUserPassword == nil || params.ManageMasterUserPassword != nil || have.MasterUserSecret == nil {
		return nil
	}
	return &driver.Error{Code: driver.Conflict, Op: "ModifyDBInstance", Message: "RDS manages the administrator's password in AWS Secrets Manager since a short while ago"}
}

// explainManagement says which permissions RDS misses where it is asked to manage a password. It makes the secret with those of whoever asks.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-secrets-manager.html (Permissions required for Secrets Manager integration)
func explainManagement(err error, manage *bool) error {
	var e *driver.Error
	if !aws.ToBool(manage) || !errors.As(err, &e) || e.Code != driver.Denied || !strings.Contains(session.ErrorMessage(err), "secretsmanager:") {
		return err
	}
	explained := *e
	explained.Message = "for spec.credentials.source CloudManaged, allow secretsmanager:CreateSecret, secretsmanager:TagResource and kms:DescribeKey to this identity: " + e.Message
	return &explained
}

// explainPassword says what passwords RDS takes, should it refuse one.
func explainPassword(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) || !strings.Contains(strings.ToLower(e.Message), "masteruserpassword") {
		return err
	}
	explained := *e
	explained.Message = "RDS refuses the password: it accepts 8 to 128 characters (MySQL and MariaDB: 8 to 41), printable ASCII without /, @, \" and spaces"
	return &explained
}
