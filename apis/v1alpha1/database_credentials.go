package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// CredentialsSource says where the administrator's password comes from.
type CredentialsSource string

// The values of CredentialsSource.
const (
	CredentialsGenerated    CredentialsSource = "Generated"
	CredentialsSecretRef    CredentialsSource = "SecretRef"
	CredentialsCloudManaged CredentialsSource = "CloudManaged"
)

// DatabaseCredentials is the administrator's login.
// +kubebuilder:validation:XValidation:rule="!has(self.source) || self.source != 'SecretRef' || has(self.passwordSecretRef)",message="source SecretRef needs passwordSecretRef: name the Secret with the password, or set source to Generated",fieldPath=".source"
// +kubebuilder:validation:XValidation:rule="!has(self.source) || self.source == 'SecretRef' || !has(self.passwordSecretRef)",message="passwordSecretRef is of source SecretRef only: remove passwordSecretRef, or set source to SecretRef",fieldPath=".passwordSecretRef"
// +kubebuilder:validation:XValidation:rule="!has(self.rotationPeriod) || !has(self.passwordSecretRef)",message="rotationPeriod is of generated passwords only: remove passwordSecretRef, or remove rotationPeriod and change the password in the Secret yourself",fieldPath=".rotationPeriod"
// +kubebuilder:validation:XValidation:rule="!has(self.rotationPeriod) || !has(self.source) || self.source != 'CloudManaged'",message="rotationPeriod is of generated passwords only, and the cloud changes one of source CloudManaged by itself: remove rotationPeriod, or set source to Generated",fieldPath=".rotationPeriod"
type DatabaseCredentials struct {
	// username of the administrator. If unset: postgres for PostgreSQL; admin (AWS) or root (Google Cloud) for MySQL; admin for
	// MariaDB. It can't change once the server exists. The clouds keep some names for themselves, such as rdsadmin and cloudsqladmin.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.MasterAccounts.html
	// Source: https://cloud.google.com/sql/docs/postgres/users
	// +optional
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9_]*$`
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="!(self in ['rdsadmin', 'rdsrepladmin', 'rdsproxyadmin', 'cloudsqladmin', 'cloudsqlagent', 'cloudsqlreplica', 'cloudsqliamuser'])",message="must be no user that Amazon RDS or Cloud SQL keeps for itself, such as rdsadmin: choose another name, for example shop_admin"
	Username *string `json:"username,omitempty"`

	// source says where the password comes from. Generated: Mooring generates it. A server that has a password already keeps it when source
	// becomes Generated, unless the cloud manages it. SecretRef: it is in the Secret that passwordSecretRef names. CloudManaged: the
	// cloud generates it, keeps it in a secret of its own and changes it by itself. Mooring never reads that password: the
	// connection Secret has the name of the cloud's secret in password-secret, and neither password nor uri. Only Amazon RDS has
	// this: the secret is in AWS Secrets Manager, the name is its ARN, RDS changes the password every 7 days unless you set another
	// schedule there, and AWS charges for each secret. RDS makes no read replica and no blue/green deployment of such a server. A change
	// to or from CloudManaged sets another password at once and restarts nothing, but logins with the former one then fail. If unset:
	// SecretRef if there is a passwordSecretRef, else Generated.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-secrets-manager.html
	// +optional
	// +kubebuilder:validation:Enum=Generated;SecretRef;CloudManaged
	Source CredentialsSource `json:"source,omitempty"`

	// passwordSecretRef names the Secret with the password, in the same namespace. If the value in the Secret changes, Mooring sets it in
	// the cloud. If unset and there is a connection, Mooring generates a password. On a server that was taken over, a generated
	// password takes effect only after approval, because it breaks every login with the old one.
	// +optional
	PasswordSecretRef *SecretKeyReference `json:"passwordSecretRef,omitempty"`

	// rotationPeriod is how old a generated password gets at most, in hours, minutes and seconds: 720h is 30 days. At least 1h. Mooring then
	// sets a new password, and writes it to the connection Secret once the cloud has applied it. It does so a little earlier than the
	// period, by a tenth of it or a day at most, so that many databases do not change theirs at once. Open connections stay; new
	// logins with the former password fail, so applications must read the Secret again when they are refused. A password that is older
	// already when the period is set is changed within a day. While an edit waits for approval or its maintenance window, or the
	// database is paused, stopped or not Ready, the password stays and may get older. Needs connection. If unset, the password stays.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,5}h)?([0-9]{1,5}m)?([0-9]{1,5}s)?$') && size(self) > 1 && duration(self) >= duration('1h')",message="rotationPeriod must be a duration of at least 1h in hours, minutes and seconds, for example 720h for 30 days"
	RotationPeriod string `json:"rotationPeriod,omitempty"`
}

// PasswordRotation says when a generated password was last changed, and when it is changed next.
type PasswordRotation struct {
	// period is the spec.credentials.rotationPeriod to which nextTime belongs.
	// +required
	Period string `json:"period"`

	// lastTime is when Mooring knew that the cloud had applied the present password.
	// +required
	LastTime metav1.Time `json:"lastTime"`

	// nextTime is when Mooring changes the password, if the Database is Ready then; else once it is.
	// +required
	NextTime metav1.Time `json:"nextTime"`
}
