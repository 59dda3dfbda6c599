package api

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What is refused at admission says what to do instead.
func TestCreate(t *testing.T) {
	for _, tt := range []struct {
		name, kind, object string
		want               string // part of the message; empty if accepted
	}{
		{"a bucket of one line", "Bucket", `spec: {providerConfigRef: {name: team}}`, ""},
		{"a bucket of a class", "Bucket", `spec: {className: standard}`, ""},
		{"a whole bucket", "Bucket", `
spec:
  providerConfigRef: {kind: ClusterProviderConfig, name: aws}
  externalName: my.bucket-1
  adoption: IfExists
  management: Full
  whenVanished: Stop
  updates: {disruptive: Always}
  location: eu-central-1
  versioning: Suspended
  publicAccess: Blocked
  encryption: {key: "arn:aws:kms:eu-central-1:111122223333:key/1"}
  tags: {team: a-b_c, empty: ""}
  forceDestroy: true
  connection: {secretName: orders.bucket}
  deletionPolicy: Retain
`, ""},
		{"a class with a mode of parameters alone", "DatabaseClass", `{metadata: {name: exact}, spec: {providerConfigRef: {name: aws}, defaults: {parametersMode: Exact}}}`, ""},
		{"a class that enforces a mode of parameters alone", "DatabaseClass", `{metadata: {name: exact-enforced}, spec: {providerConfigRef: {name: aws}, enforced: {parametersMode: Exact}}}`, ""},
		{"a class with a mode of parameters that there is not", "DatabaseClass", `{metadata: {name: some}, spec: {providerConfigRef: {name: aws}, defaults: {parametersMode: Some}}}`, "spec.defaults.parametersMode"},
		{"a database with a mode of parameters alone", "Database", `spec: {className: standard, parametersMode: Exact}`, ""},
		{"a web site", "Bucket", `spec: {className: standard, website: {indexDocument: index.html, errorDocument: errors/404.html}}`, ""},
		{"no web site, please", "Bucket", `spec: {className: standard, website: {}}`, ""},
		{"a web site without an index", "Bucket", `spec: {className: standard, website: {errorDocument: error.html}}`, "errorDocument needs indexDocument"},
		{"an index in a folder", "Bucket", `spec: {className: standard, website: {indexDocument: a/index.html}}`, "spec.website.indexDocument"},
		{"rules for other origins", "Bucket", `spec: {className: standard, cors: [{allowedOrigins: ["https://*.example.com", "*"], allowedMethods: [GET, HEAD, PUT, POST, DELETE], allowedHeaders: ["x-amz-*", "*"], exposeHeaders: [ETag], maxAgeSeconds: 600}]}`, ""},
		{"no rules for other origins, please", "Bucket", `spec: {className: standard, cors: []}`, ""},
		{"a rule without origins", "Bucket", `spec: {className: standard, cors: [{allowedOrigins: [], allowedMethods: [GET]}]}`, "spec.cors[0].allowedOrigins"},
		{"a rule without methods", "Bucket", `spec: {className: standard, cors: [{allowedOrigins: ["*"]}]}`, "spec.cors[0].allowedMethods"},
		{"a rule for a method that S3 lacks", "Bucket", `spec: {className: standard, cors: [{allowedOrigins: ["*"], allowedMethods: [PATCH]}]}`, "spec.cors[0].allowedMethods[0]"},
		{"an origin with two wildcards", "Bucket", `spec: {className: standard, cors: [{allowedOrigins: ["https://*.*"], allowedMethods: [GET]}]}`, "spec.cors[0].allowedOrigins[0]"},
		{"all headers exposed", "Bucket", `spec: {className: standard, cors: [{allowedOrigins: ["*"], allowedMethods: [GET], exposeHeaders: ["*"]}]}`, "spec.cors[0].exposeHeaders[0]"},
		{"a preflight remembered for no time", "Bucket", `spec: {className: standard, cors: [{allowedOrigins: ["*"], allowedMethods: [GET], maxAgeSeconds: 0}]}`, "spec.cors[0].maxAgeSeconds"},
		{"a bucket whose requesters pay", "Bucket", `spec: {className: standard, requesterPays: true}`, ""},
		{"an owner of objects", "Bucket", `spec: {className: standard, aws: {objectOwnership: BucketOwnerPreferred}}`, ""},
		{"an owner of objects that there is not", "Bucket", `spec: {className: standard, aws: {objectOwnership: Everybody}}`, "spec.aws.objectOwnership"},
		{"a storage class", "Bucket", `spec: {className: standard, gcp: {storageClass: COLDLINE}}`, ""},
		{"a storage class of another cloud", "Bucket", `spec: {className: standard, gcp: {storageClass: GLACIER}}`, "spec.gcp.storageClass"},
		{"a bucket in two clouds", "Bucket", `spec: {className: standard, aws: {objectOwnership: ObjectWriter}, gcp: {storageClass: STANDARD}}`, "spec.aws and spec.gcp exclude each other"},
		{"a class for buckets in two clouds", "BucketClass", `{metadata: {name: both}, spec: {providerConfigRef: {name: aws}, defaults: {aws: {objectOwnership: ObjectWriter}, gcp: {storageClass: STANDARD}}}}`, ""},
		{"no tags, please", "Bucket", `spec: {providerConfigRef: {name: team}, tags: {}}`, ""},
		{"an observed bucket", "Bucket", `spec: {providerConfigRef: {name: team}, management: Observe, externalName: theirs}`, ""},
		{"a name of 63 characters", "Bucket", `{metadata: {name: ` + strings.Repeat("a", 63) + `}, spec: {className: standard}}`, ""},

		{"a name of 64 characters", "Bucket", `{metadata: {name: ` + strings.Repeat("a", 64) + `}, spec: {className: standard}}`, "at most 63 characters"},
		{"a name with a dot", "Bucket", `{metadata: {name: a.b}, spec: {className: standard}}`, "no dots"},
		{"no spec", "Bucket", `{}`, "spec: Required value"},
		{"the default class", "Bucket", `spec: {}`, ""},
		{"two accounts", "Bucket", `spec: {className: standard, providerConfigRef: {name: team}}`, "exclude each other"},
		{"a reference to nothing", "Bucket", `spec: {providerConfigRef: {}}`, "spec.providerConfigRef.name: Required value"},
		{"a reference with a path", "Bucket", `spec: {providerConfigRef: {name: ../bank/team}}`, "spec.providerConfigRef.name"},
		{"a class with a path", "Bucket", `spec: {className: a/b}`, "spec.className"},
		{"a password with a path", "Database", `spec: {className: standard, credentials: {passwordSecretRef: {name: bank/pw}}}`, "spec.credentials.passwordSecretRef.name"},
		{"keys with a path", "ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: bank/keys}}}`, "spec.credentials.secretRef.name"},
		{"a ServiceAccount with a path", "ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {webIdentity: {serviceAccountName: bank/payer, roleARN: "arn:aws:iam::111122223333:role/shop"}}}`, "serviceAccountName"},
		{"a class's account with a path", "BucketClass", `spec: {providerConfigRef: {name: a/b}}`, "spec.providerConfigRef.name"},
		{"a reference to another kind", "Bucket", `spec: {providerConfigRef: {kind: Secret, name: team}}`, "supported values"},
		{"an upper-case location", "Bucket", `spec: {className: standard, location: EU-WEST-1}`, "spec.location"},
		{"a bucket name with an underscore", "Bucket", `spec: {className: standard, externalName: my_bucket}`, "must be a bucket name"},
		{"a bucket name with an underscore, to adopt", "Bucket", `spec: {className: standard, adoption: IfExists, externalName: my_bucket}`, ""},
		{"a bucket name with dots and underscores, to observe", "Bucket", `spec: {className: standard, management: Observe, externalName: logs.my_bucket--2.example.com}`, ""},
		{"a bucket name with a slash, to adopt", "Bucket", `spec: {className: standard, adoption: IfExists, externalName: my/bucket}`, "must be a bucket name"},
		{"an instance name with two hyphens", "Database", `spec: {className: standard, externalName: my--db}`, "must be an instance name"},
		{"an instance name with two hyphens, to adopt", "Database", `spec: {className: standard, adoption: IfExists, externalName: my--db}`, ""},
		{"an instance name with a hyphen last, to adopt", "Database", `spec: {className: standard, adoption: IfExists, externalName: my-db-}`, "must be an instance name"},
		{"a bucket name of two letters", "Bucket", `spec: {className: standard, externalName: ab}`, "must be a bucket name"},
		{"a bucket name with a line break", "Bucket", `spec: {className: standard, externalName: "abc\n"}`, "must be a bucket name"},
		{"tags as AWS takes them", "Bucket", `spec: {className: standard, tags: {CostCenter: "Team Shop", "a.b/c:d=e+f-g@h": "A.b/c:d=e+f-g@h ü", "1": "", "` + strings.Repeat("ü", 128) + `": "` + strings.Repeat("x", 256) + `"}}`, ""},
		{"as many tags as there can be", "Bucket", `spec: {className: standard, tags: {` + many("k", 45) + `}}`, ""},
		{"a tag without a key", "Bucket", `spec: {className: standard, tags: {"": a}}`, "spec.tags keys must have 1 to 128 letters"},
		{"a tag with a long key", "Bucket", `spec: {className: standard, tags: {` + strings.Repeat("x", 129) + `: a}}`, "spec.tags keys must have 1 to 128 letters"},
		{"a tag with a key of other characters", "Bucket", `spec: {className: standard, tags: {"a,b": a}}`, "spec.tags keys must have 1 to 128 letters"},
		{"a tag with a key that ends with a space", "Bucket", `spec: {className: standard, tags: {"a ": a}}`, "without a space at the beginning or end"},
		{"a tag with a key of AWS's", "Bucket", `spec: {className: standard, tags: {"AWS:a": a}}`, "reserved for AWS"},
		{"a tag with a key of Mooring's in upper case", "Bucket", `spec: {className: standard, tags: {Mooring-Uid: a}}`, "Mooring's own mark"},
		{"a tag with a key of Mooring's", "Bucket", `spec: {className: standard, tags: {mooring-uid: a}}`, "Mooring's own mark"},
		{"a tag with a space at the end", "Bucket", `spec: {className: standard, tags: {team: "a b "}}`, "spec.tags.team"},
		{"a tag with other characters", "Bucket", `spec: {className: standard, tags: {team: "a*b"}}`, "spec.tags.team"},
		{"a tag with a long value", "Bucket", `spec: {className: standard, tags: {team: ` + strings.Repeat("x", 257) + `}}`, "256"},
		{"too many tags", "Bucket", `spec: {className: standard, tags: {` + many("k", 46) + `}}`, "45"},
		{"an observed bucket without a name", "Bucket", `spec: {className: standard, management: Observe}`, "needs spec.externalName"},
		{"an unknown versioning", "Bucket", `spec: {className: standard, versioning: true}`, "spec.versioning"},
		{"a snapshot of a bucket", "Bucket", `spec: {className: standard, deletionPolicy: Snapshot}`, "supported values"},
		{"a Secret that can't be", "Bucket", `spec: {className: standard, connection: {secretName: Orders_DB}}`, "spec.connection.secretName"},
		{"an unknown adoption", "Bucket", `spec: {className: standard, adoption: Always}`, "supported values"},
		{"an unknown timing", "Database", `spec: {className: standard, updates: {timing: Tonight}}`, "supported values"},
		{"a window of the class's, perhaps", "Database", `spec: {className: standard, updates: {timing: MaintenanceWindow}}`, ""},
		{"a window without a class", "Database", `spec: {providerConfigRef: {name: team}, engine: postgres, updates: {timing: MaintenanceWindow}, maintenance: {window: {day: Sunday, startTime: "03:00"}}}`, ""},
		{"no window", "Database", `spec: {providerConfigRef: {name: team}, engine: postgres, updates: {timing: MaintenanceWindow}}`, "needs spec.maintenance.window"},
		{"a bucket at once", "Bucket", `spec: {className: standard, updates: {timing: Immediate}}`, ""},
		{"a bucket's window", "Bucket", `spec: {className: standard, updates: {timing: MaintenanceWindow}}`, "a bucket has no maintenance window"},
		{"a window of a class of buckets", "BucketClass", `spec: {providerConfigRef: {name: aws}, updates: {timing: MaintenanceWindow}}`, "a bucket has no maintenance window"},
		{"a window of a class of databases", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, updates: {timing: MaintenanceWindow}}`, ""},
		{"an unknown policy", "Bucket", `spec: {className: standard, updates: {disruptive: Never}}`, "supported values"},

		{"a password's source that is a Secret", "Database", `spec: {className: standard, credentials: {source: SecretRef, passwordSecretRef: {name: pw}}}`, ""},
		{"a password's source that is a Secret without one", "Database", `spec: {className: standard, credentials: {source: SecretRef}}`, "source SecretRef needs passwordSecretRef"},
		{"a generated password", "Database", `spec: {className: standard, credentials: {source: Generated}}`, ""},
		{"a generated password beside a Secret with one", "Database", `spec: {className: standard, credentials: {source: Generated, passwordSecretRef: {name: pw}}}`, "passwordSecretRef is of source SecretRef only"},
		{"a password that the cloud manages", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {source: CloudManaged, username: boss}}`, ""},
		{"a password that the cloud manages, without a connection", "Database", `spec: {className: standard, credentials: {source: CloudManaged}}`, ""},
		{"a password that the cloud manages beside a Secret with one", "Database", `spec: {className: standard, credentials: {source: CloudManaged, passwordSecretRef: {name: pw}}}`, "passwordSecretRef is of source SecretRef only"},
		{"a password that the cloud manages and Mooring changes", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {source: CloudManaged, rotationPeriod: 720h}}`, "the cloud changes one of source CloudManaged by itself"},
		{"a password of an unknown source", "Database", `spec: {className: standard, credentials: {source: Vault}}`, "supported values"},
		{"a password of 30 days", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {source: Generated, rotationPeriod: 720h}}`, ""},
		{"a password of an hour and a half", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {rotationPeriod: 1h30m}}`, ""},
		{"a password of 60 minutes", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {rotationPeriod: 60m}}`, ""},
		{"a password of less than an hour", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {rotationPeriod: 59m59s}}`, "rotationPeriod must be a duration of at least 1h"},
		{"a password of days", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {rotationPeriod: 30d}}`, "for example 720h for 30 days"},
		{"a password of no time", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {rotationPeriod: ""}}`, "for example 720h for 30 days"},
		{"a password of a number", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {rotationPeriod: 720}}`, "spec.credentials.rotationPeriod"},
		{"a named password that changes by itself", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {passwordSecretRef: {name: pw}, rotationPeriod: 720h}}`, "rotationPeriod is of generated passwords only"},
		{"a password that nobody is told", "Database", `spec: {className: standard, credentials: {rotationPeriod: 720h}}`, "spec.credentials.rotationPeriod needs spec.connection"},
		{"a password from nowhere", "Database", `spec: {className: standard, credentials: {source: Vault}}`, "spec.credentials.source"},
		{"a password from the object's own connection", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {passwordSecretRef: {name: db, key: uri}}}`, "store the password in another Secret"},
		{"a password from another Secret", "Database", `spec: {className: standard, connection: {secretName: db}, credentials: {passwordSecretRef: {name: db-admin}}}`, ""},
		{"a database of two lines", "Database", `spec: {providerConfigRef: {name: team}, engine: postgres}`, ""},
		{"a database of a class", "Database", `spec: {className: standard}`, ""},
		{"a whole database", "Database", `
spec:
  providerConfigRef: {name: team}
  externalName: orders-1
  engine: mysql
  version: "8.0.36"
  location: europe-west3
  storage: {sizeGiB: 50}
  availability: SingleZone
  databaseName: orders_1
  credentials: {username: boss, passwordSecretRef: {name: pw, key: it}}
  backup: {retentionDays: 0, startTime: "23:59"}
  maintenance: {minorUpgrades: Automatic, window: {day: Saturday, startTime: "23:00"}}
  deletionProtection: true
  tags: {team: a}
  gcp: {tier: db-custom-2-7680}
  connection: {secretName: orders-db}
  deletionPolicy: Snapshot
`, ""},
		{"an observed database", "Database", `spec: {providerConfigRef: {name: team}, management: Observe, externalName: theirs}`, ""},

		{"a size", "Database", `spec: {className: standard, size: small}`, ""},
		{"a size of the default class", "Database", `spec: {size: small}`, ""},
		{"a size without a class", "Database", `spec: {providerConfigRef: {name: team}, engine: postgres, size: small}`, "spec.size needs a class"},
		{"a size and an instance class", "Database", `spec: {className: standard, size: small, aws: {instanceClass: db.t4g.micro}}`, "and an instance class or tier exclude each other"},
		{"a size and a tier", "Database", `spec: {className: standard, size: small, gcp: {tier: db-f1-micro}}`, "and an instance class or tier exclude each other"},
		{"no engine", "Database", `spec: {providerConfigRef: {name: team}}`, "spec.engine is required: set it to postgres, mysql or mariadb"},
		{"an unknown engine", "Database", `spec: {className: standard, engine: oracle}`, "supported values"},
		{"a version in words", "Database", `spec: {className: standard, version: latest}`, "spec.version"},
		{"two clouds", "Database", `spec: {className: standard, aws: {instanceClass: db.t4g.micro}, gcp: {tier: db-f1-micro}}`, "a server is in one cloud"},
		{"two zones", "Database", `spec: {className: standard, availability: MultiZone, backup: {retentionDays: 1}, gcp: {tier: db-f1-micro}}`, ""},
		{"two zones without backups", "Database", `spec: {className: standard, availability: MultiZone, backup: {retentionDays: 0}, gcp: {tier: db-f1-micro}}`, "needs automatic backups in Google Cloud"},
		{"recovery without backups", "Database", `spec: {className: standard, backup: {retentionDays: 0, pointInTimeRecovery: true}}`, "pointInTimeRecovery needs automatic backups"},
		{"recovery in a class without backups", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, defaults: {backup: {retentionDays: 0, pointInTimeRecovery: true}}}`, "pointInTimeRecovery needs automatic backups"},
		{"no recovery and no backups", "Database", `spec: {className: standard, backup: {retentionDays: 0, pointInTimeRecovery: false}}`, ""},
		{"two zones without recovery", "Database", `spec: {className: standard, availability: MultiZone, backup: {pointInTimeRecovery: false}, gcp: {tier: db-f1-micro}}`, "needs point-in-time recovery in Google Cloud"},
		{"two zones without backups, in AWS", "Database", `spec: {className: standard, availability: MultiZone, backup: {retentionDays: 0}, aws: {instanceClass: db.t4g.micro}}`, ""},
		{"an availability in a cloud's own words", "Database", `spec: {className: standard, availability: REGIONAL}`, "supported values: \"SingleZone\", \"MultiZone\""},
		{"a small disk", "Database", `spec: {className: standard, storage: {sizeGiB: 9}}`, "greater than or equal to 10"},
		{"a huge disk", "Database", `spec: {className: standard, storage: {sizeGiB: 65537}}`, "less than or equal to 65536"},
		{"half a disk", "Database", `spec: {className: standard, storage: {sizeGiB: 20.5}}`, "must be of type integer"},
		{"backups of a year and a day", "Database", `spec: {className: standard, backup: {retentionDays: 366}}`, "less than or equal to 365"},
		{"backups at a time without a zero", "Database", `spec: {className: standard, backup: {startTime: "3:00"}}`, "spec.backup.startTime"},
		{"backups at midnight of the next day", "Database", `spec: {className: standard, backup: {startTime: "24:00"}}`, "spec.backup.startTime"},
		{"backups at a time in another zone", "Database", `spec: {className: standard, backup: {startTime: "03:00+02:00"}}`, "spec.backup.startTime"},
		{"TLS said twice", "Database", `spec: {className: standard, tls: Required, gcp: {tier: db-f1-micro, sslMode: ENCRYPTED_ONLY}}`, "spec.tls and spec.gcp.sslMode exclude each other"},
		{"TLS by another word", "Database", `spec: {className: standard, tls: required}`, "supported values"},
		{"TLS said once", "Database", `spec: {className: standard, tls: Optional, gcp: {tier: db-f1-micro}}`, ""},
		{"a parameter that is a number", "Database", `spec: {className: standard, parameters: {work_mem: 4096}}`, "must be of type string"},
		{"parameters of another mode", "Database", `spec: {className: standard, parameters: {}, parametersMode: Replace}`, "supported values"},
		{"logins by IAM, said twice", "Database", `spec: {className: standard, iamAuthentication: true, parameters: {cloudsql.iam_authentication: "on"}}`, "exclude each other"},
		{"logins by IAM of MySQL, said twice", "Database", `spec: {className: standard, iamAuthentication: false, parameters: {cloudsql_iam_authentication: "on"}}`, "exclude each other"},
		{"a power state", "Database", `spec: {className: standard, powerState: Stopped}`, ""},
		{"a power state by another word", "Database", `spec: {className: standard, powerState: stopped}`, "supported values"},
		{"logins by IAM", "Database", `spec: {className: standard, iamAuthentication: true, parameters: {work_mem: "4096"}}`, ""},
		{"insights of RDS", "Database", `spec: {className: standard, insights: true, aws: {instanceClass: db.m6g.large, databaseInsightsMode: advanced, performanceInsights: {retentionDays: 465, key: alias/insights}}}`, ""},
		{"insights for a number of days that RDS does not have", "Database", `spec: {className: standard, aws: {performanceInsights: {retentionDays: 30}}}`, "must be 7, 731, or a multiple of 31"},
		{"advanced insights for a week", "Database", `spec: {className: standard, aws: {databaseInsightsMode: advanced, performanceInsights: {retentionDays: 7}}}`, "at least 465"},
		{"settings of insights that are off", "Database", `spec: {className: standard, insights: false, aws: {performanceInsights: {retentionDays: 7}}}`, "need spec.insights"},
		{"a key of another cloud for insights", "Database", `spec: {className: standard, aws: {performanceInsights: {key: projects/p/locations/l/keyRings/r/cryptoKeys/k}}}`, "must name a key of AWS KMS"},
		{"a volume for logs", "Database", `spec: {className: standard, aws: {dedicatedLogVolume: true, storageType: io2, iops: 3000}}`, ""},
		{"a volume for logs beside gp3", "Database", `spec: {className: standard, aws: {dedicatedLogVolume: true, storageType: gp3}}`, "needs storageType io1 or io2"},
		{"monitoring", "Database", `spec: {className: standard, aws: {monitoring: {intervalSeconds: 60, roleARN: "arn:aws:iam::123456789012:role/rds-monitoring-role"}}}`, ""},
		{"monitoring with the role of the class", "Database", `spec: {className: standard, aws: {monitoring: {intervalSeconds: 60}}}`, ""},
		{"monitoring without a role", "Database", `spec: {engine: postgres, providerConfigRef: {kind: ProviderConfig, name: team}, aws: {monitoring: {intervalSeconds: 60}}}`, "needs spec.aws.monitoring.roleARN"},
		{"no monitoring", "Database", `spec: {engine: postgres, providerConfigRef: {kind: ProviderConfig, name: team}, aws: {monitoring: {intervalSeconds: 0}}}`, ""},
		{"monitoring at an interval that RDS does not have", "Database", `spec: {className: standard, aws: {monitoring: {intervalSeconds: 20}}}`, "supported values"},
		{"a user in place of a role for monitoring", "Database", `spec: {className: standard, aws: {monitoring: {roleARN: "arn:aws:iam::123456789012:user/shop"}}}`, "should match"},
		{"insights of Cloud SQL", "Database", `spec: {className: standard, insights: true, gcp: {insights: {queryStringLength: 4500, queryPlansPerMinute: 0, recordApplicationTags: true, recordClientAddress: true}}}`, ""},
		{"short queries", "Database", `spec: {className: standard, gcp: {insights: {queryStringLength: 255}}}`, "greater than or equal to 256"},
		{"exact parameters", "Database", `spec: {className: standard, parameters: {work_mem: "4096"}, parametersMode: Exact}`, ""},
		{"growth to less than the size", "Database", `spec: {className: standard, storage: {sizeGiB: 50, maxSizeGiB: 49}}`, "maxSizeGiB must be at least sizeGiB"},
		{"growth by less than RDS takes", "Database", `spec: {className: standard, aws: {instanceClass: db.t4g.micro}, storage: {sizeGiB: 50, maxSizeGiB: 54}}`, "at least 10% above"},
		{"growth by as much as RDS takes", "Database", `spec: {className: standard, aws: {instanceClass: db.t4g.micro}, storage: {sizeGiB: 50, maxSizeGiB: 55}}`, ""},
		{"no growth", "Database", `spec: {className: standard, aws: {instanceClass: db.t4g.micro}, storage: {sizeGiB: 50, maxSizeGiB: 50}}`, ""},
		{"growth by little in Google Cloud", "Database", `spec: {className: standard, gcp: {tier: db-f1-micro}, storage: {sizeGiB: 50, maxSizeGiB: 51}}`, ""},
		{"a window without a day", "Database", `spec: {className: standard, maintenance: {window: {startTime: "03:00"}}}`, "day and startTime need each other"},
		{"a window on a holiday", "Database", `spec: {className: standard, maintenance: {window: {day: Easter, startTime: "03:00"}}}`, "supported values"},
		{"a window at half past three", "Database", `spec: {className: standard, aws: {instanceClass: db.t4g.micro}, maintenance: {window: {day: Sunday, startTime: "03:30"}}}`, ""},
		{"a window that overlaps the backup window", "Database", `spec: {className: standard, aws: {instanceClass: db.t4g.micro}, backup: {startTime: "03:00"}, maintenance: {window: {day: Sunday, startTime: "03:29"}}}`, "at least 30 minutes apart in AWS"},
		{"a window that the backup window overlaps at midnight", "Database", `spec: {className: standard, aws: {instanceClass: db.t4g.micro}, backup: {startTime: "23:45"}, maintenance: {window: {day: Sunday, startTime: "00:00"}}}`, "at least 30 minutes apart in AWS"},
		{"a window after the backup window", "Database", `spec: {className: standard, aws: {instanceClass: db.t4g.micro}, backup: {startTime: "03:00"}, maintenance: {window: {day: Sunday, startTime: "03:30"}}}`, ""},
		{"a window before the backup window at midnight", "Database", `spec: {className: standard, aws: {instanceClass: db.t4g.micro}, backup: {startTime: "00:09"}, maintenance: {window: {day: Sunday, startTime: "23:08"}}}`, ""},
		{"a window beside the backup window in Google Cloud", "Database", `spec: {className: standard, gcp: {tier: db-f1-micro}, backup: {startTime: "03:00"}, maintenance: {window: {day: Sunday, startTime: "03:00"}}}`, ""},
		{"minor upgrades as a bool", "Database", `spec: {className: standard, maintenance: {minorUpgrades: false}}`, "spec.maintenance.minorUpgrades"},
		{"a database name with a hyphen", "Database", `spec: {className: standard, databaseName: my-db}`, "spec.databaseName"},
		{"a machine for an instance class", "Database", `spec: {className: standard, aws: {instanceClass: t3.micro}}`, "spec.aws.instanceClass"},
		{"a zone", "Database", `spec: {className: standard, location: europe-west3, gcp: {zone: europe-west3-a}}`, ""},
		{"logs of PostgreSQL", "Database", `spec: {className: standard, engine: postgres, aws: {cloudwatchLogsExports: [upgrade, postgresql, iam-db-auth-error]}}`, ""},
		{"logs of MySQL", "Database", `spec: {className: standard, engine: mysql, aws: {cloudwatchLogsExports: [audit, error, general, slowquery, iam-db-auth-error]}}`, ""},
		{"logs of MariaDB", "Database", `spec: {className: standard, engine: mariadb, version: "10.11", aws: {cloudwatchLogsExports: [audit, error, general, slowquery, iam-db-auth-error]}}`, ""},
		{"logs of PostgreSQL in MariaDB", "Database", `spec: {className: standard, engine: mariadb, aws: {cloudwatchLogsExports: [postgresql]}}`, "must be logs of spec.engine"},
		{"an engine that there is not", "Database", `spec: {className: standard, engine: oracle}`, "supported values"},
		{"no logs", "Database", `spec: {className: standard, engine: mysql, aws: {cloudwatchLogsExports: []}}`, ""},
		{"logs of another engine", "Database", `spec: {className: standard, engine: mysql, aws: {cloudwatchLogsExports: [upgrade]}}`, "must be logs of spec.engine"},
		{"logs of another engine, too", "Database", `spec: {className: standard, engine: postgres, aws: {cloudwatchLogsExports: [postgresql, error]}}`, "must be logs of spec.engine"},
		{"a log twice", "Database", `spec: {className: standard, aws: {cloudwatchLogsExports: [error, error]}}`, "Duplicate value"},
		{"IOPS of gp3", "Database", `spec: {className: standard, storage: {sizeGiB: 400}, aws: {storageType: gp3, iops: 12000, throughputMiBps: 500}}`, ""},
		{"IOPS of io1", "Database", `spec: {className: standard, aws: {storageType: io1, iops: 1000}}`, ""},
		{"IOPS of gp2", "Database", `spec: {className: standard, aws: {storageType: gp2, iops: 3000}}`, "iops can't be chosen for storageType gp2"},
		{"a quarter of its IOPS", "Database", `spec: {className: standard, storage: {sizeGiB: 400}, aws: {iops: 16000, throughputMiBps: 4000}}`, ""},
		{"more throughput of gp3 than its IOPS allow", "Database", `spec: {className: standard, storage: {sizeGiB: 400}, aws: {iops: 15999, throughputMiBps: 4000}}`, "at most a quarter of iops"},
		{"throughput of io2", "Database", `spec: {className: standard, aws: {storageType: io2, iops: 3000, throughputMiBps: 500}}`, "throughputMiBps can be chosen for storageType gp3 only"},
		{"too few IOPS", "Database", `spec: {className: standard, aws: {iops: 999}}`, "spec.aws.iops"},
		{"a private server", "Database", `spec: {className: standard, network: {publicAccess: Blocked, allowedCIDRs: []}, gcp: {privateNetwork: projects/shop-1/global/networks/prod}}`, ""},
		{"a public server", "Database", `spec: {className: standard, network: {publicAccess: Allowed, allowedCIDRs: [203.0.113.0/24, 198.51.100.7/32, "2001:db8::/32", 0.0.0.0/0]}}`, ""},
		{"a network at no address", "Database", `spec: {className: standard, network: {publicAccess: Blocked, allowedCIDRs: [203.0.113.0/24]}}`, "set publicAccess to Allowed"},
		{"an address without its prefix", "Database", `spec: {className: standard, network: {allowedCIDRs: [203.0.113.7]}}`, "must be a network in CIDR notation, such as 203.0.113.0/24"},
		{"a prefix that is too long", "Database", `spec: {className: standard, network: {allowedCIDRs: [203.0.113.0/33]}}`, "must be a network in CIDR notation"},
		{"an address that is none", "Database", `spec: {className: standard, network: {allowedCIDRs: [203.0.256.0/24]}}`, "must be a network in CIDR notation"},
		{"a network twice", "Database", `spec: {className: standard, network: {allowedCIDRs: [203.0.113.0/24, 203.0.113.0/24]}}`, "Duplicate value"},
		{"another access", "Database", `spec: {className: standard, network: {publicAccess: Private}}`, "supported values"},
		{"a network as a URL", "Database", `spec: {className: standard, gcp: {privateNetwork: "https://www.googleapis.com/compute/v1/projects/shop-1/global/networks/prod"}}`, "in the form projects/PROJECT/global/networks/NETWORK"},
		{"a network's name alone", "Database", `spec: {className: standard, gcp: {privateNetwork: prod}}`, "must name a VPC network"},
		{"a class with a network", "DatabaseClass", `spec: {providerConfigRef: {name: gcp}, enforced: {network: {publicAccess: Blocked}, gcp: {privateNetwork: projects/shop-1/global/networks/prod}}}`, ""},
		{"two zones, both named", "Database", `spec: {className: standard, location: europe-west3, availability: MultiZone, gcp: {zone: europe-west3-a, secondaryZone: europe-west3-b}}`, ""},
		{"a zone of the standby, and the class says that there is one", "Database", `spec: {className: standard, gcp: {secondaryZone: europe-west3-b}}`, ""},
		{"the same zone twice", "Database", `spec: {className: standard, availability: MultiZone, gcp: {zone: europe-west3-a, secondaryZone: europe-west3-a}}`, "must differ from spec.gcp.zone"},
		{"a zone of a standby that there is not", "Database", `spec: {className: standard, availability: SingleZone, gcp: {secondaryZone: europe-west3-b}}`, "set spec.availability to MultiZone"},
		{"a standby in another location", "Database", `spec: {className: standard, location: europe-west3, gcp: {secondaryZone: europe-west1-b}}`, "spec.gcp.secondaryZone must be a zone of spec.location"},
		{"a zone without a location", "Database", `spec: {className: standard, gcp: {zone: northamerica-northeast1-b}}`, ""},
		{"a zone of another location", "Database", `spec: {className: standard, location: europe-west3, gcp: {zone: europe-west1-a}}`, "spec.gcp.zone must be a zone of spec.location"},
		{"a location whose name begins alike", "Database", `spec: {className: standard, location: europe-west1, gcp: {zone: europe-west10-a}}`, "spec.gcp.zone must be a zone of spec.location"},
		{"a location for a zone", "Database", `spec: {className: standard, gcp: {zone: europe-west3}}`, "spec.gcp.zone"},
		{"a mode of TLS that Cloud SQL does not have", "Database", `spec: {className: standard, gcp: {sslMode: VERIFY_FULL}}`, "spec.gcp.sslMode"},
		{"an enforcement of connectors that Cloud SQL does not have", "Database", `spec: {className: standard, gcp: {connectorEnforcement: "true"}}`, "spec.gcp.connectorEnforcement"},
		{"a key", "Database", `spec: {className: standard, location: eu-central-1, encryption: {key: "arn:aws:kms:eu-central-1:123456789012:key/0b3c1a5e-1111-2222-3333-444455556666"}}`, ""},
		{"an alias of a key", "Database", `spec: {className: standard, location: eu-central-1, encryption: {key: alias/shop}}`, ""},
		{"a key of another location", "Database", `spec: {className: standard, location: eu-central-1, encryption: {key: "arn:aws:kms:eu-west-1:123456789012:key/0b3c1a5e-1111-2222-3333-444455556666"}}`, "spec.encryption.key must be a key in spec.location"},
		{"a key of another location in Google Cloud", "Database", `spec: {className: standard, location: europe-west3, encryption: {key: projects/p/locations/global/keyRings/r/cryptoKeys/k}}`, "spec.encryption.key must be a key in spec.location"},
		{"a key in the location", "Database", `spec: {className: standard, location: europe-west3, encryption: {key: projects/p/locations/europe-west3/keyRings/r/cryptoKeys/k}}`, ""},
		{"a zone of AWS", "Database", `spec: {className: standard, location: eu-west-1, availability: SingleZone, aws: {availabilityZone: eu-west-1b}}`, ""},
		{"a local zone of AWS", "Database", `spec: {className: standard, location: us-west-2, aws: {availabilityZone: us-west-2-lax-1a}}`, ""},
		{"a zone of AWS without a location", "Database", `spec: {className: standard, aws: {availabilityZone: us-gov-west-1a}}`, ""},
		{"a zone of another region", "Database", `spec: {className: standard, location: eu-west-1, aws: {availabilityZone: eu-central-1a}}`, "spec.aws.availabilityZone must be a zone of spec.location"},
		{"a zone of a region whose name begins alike", "Database", `spec: {className: standard, location: eu-west-1, aws: {availabilityZone: eu-west-10a}}`, "spec.aws.availabilityZone must be a zone of spec.location"},
		{"a region for a zone", "Database", `spec: {className: standard, aws: {availabilityZone: eu-west-1}}`, "spec.aws.availabilityZone"},
		{"a zone of two", "Database", `spec: {className: standard, availability: MultiZone, aws: {availabilityZone: eu-west-1b}}`, "exclude each other, because RDS chooses both zones"},
		{"a port", "Database", `spec: {className: standard, aws: {port: 1150}}`, ""},
		{"the last port", "Database", `spec: {className: standard, aws: {port: 65535}}`, ""},
		{"a port that RDS keeps for itself", "Database", `spec: {className: standard, aws: {port: 1149}}`, "spec.aws.port"},
		{"a port that there is not", "Database", `spec: {className: standard, aws: {port: 65536}}`, "spec.aws.port"},
		{"IPv6 addresses, too", "Database", `spec: {className: standard, aws: {networkType: DUAL}}`, ""},
		{"IPv6 addresses alone", "Database", `spec: {className: standard, aws: {networkType: IPV6}}`, "supported values"},
		{"an option group", "Database", `spec: {className: standard, engine: mysql, aws: {optionGroupName: Team-a}}`, ""},
		{"a default option group", "Database", `spec: {className: standard, engine: mariadb, aws: {optionGroupName: "default:mariadb-11-4"}}`, ""},
		{"an option group, and the class has the engine", "Database", `spec: {className: standard, aws: {optionGroupName: team-a}}`, ""},
		{"what is no option group", "Database", `spec: {className: standard, engine: mysql, aws: {optionGroupName: team_a}}`, "spec.aws.optionGroupName"},
		{"an option group of PostgreSQL", "Database", `spec: {className: standard, engine: postgres, aws: {optionGroupName: team-a}}`, "PostgreSQL has extensions in place of options"},
		{"a parameter group", "Database", `spec: {className: standard, aws: {dbParameterGroupName: Team-a}}`, ""},
		{"a default parameter group", "Database", `spec: {className: standard, aws: {dbParameterGroupName: default.mysql8.0}}`, ""},
		{"what is no parameter group", "Database", `spec: {className: standard, aws: {dbParameterGroupName: team_a}}`, "spec.aws.dbParameterGroupName"},
		{"a parameter group and parameters", "Database", `spec: {className: standard, parameters: {work_mem: "64"}, aws: {dbParameterGroupName: team-a}}`, "spec.parameters and spec.aws.dbParameterGroupName exclude each other"},
		{"tls and its parameter", "Database", `spec: {className: standard, tls: Required, parameters: {rds.force_ssl: "1"}}`, "say the same"},
		{"what is no key", "Database", `spec: {className: standard, encryption: {key: secret}}`, "must name a key"},
		{"encryption without a key", "Database", `spec: {className: standard, encryption: {}}`, "encryption needs key"},
		{"a type of disk that Cloud SQL does not have", "Database", `spec: {className: standard, gcp: {dataDiskType: gp3}}`, "spec.gcp.dataDiskType"},
		{"a Hyperdisk", "Database", `spec: {className: standard, gcp: {dataDiskType: HYPERDISK_BALANCED, iops: 12000, throughputMiBps: 240}}`, ""},
		{"the speed of a disk whose type is Cloud SQL's choice", "Database", `spec: {className: standard, gcp: {iops: 3000}}`, ""},
		{"IOPS of a persistent disk", "Database", `spec: {className: standard, gcp: {dataDiskType: PD_SSD, iops: 3000}}`, "iops can be chosen for dataDiskType HYPERDISK_BALANCED only"},
		{"throughput of a persistent disk", "Database", `spec: {className: standard, gcp: {dataDiskType: PD_HDD, throughputMiBps: 240}}`, "throughputMiBps can be chosen for dataDiskType HYPERDISK_BALANCED only"},
		{"too few IOPS of a Hyperdisk", "Database", `spec: {className: standard, gcp: {iops: 2999}}`, "spec.gcp.iops"},
		{"too much throughput for its IOPS", "Database", `spec: {className: standard, gcp: {iops: 3000, throughputMiBps: 751}}`, "at most a quarter of iops"},
		{"too many IOPS for its throughput", "Database", `spec: {className: standard, gcp: {iops: 40000, throughputMiBps: 156}}`, "at most 256 times"},
		{"Private Service Connect", "Database", `spec: {className: standard, gcp: {pscConfig: {enabled: true, allowedConsumerProjects: [shop-cluster, "123456789012"], autoConnectionNetworks: [projects/p/global/networks/n], networkAttachmentURI: projects/p/regions/europe-west3/networkAttachments/a}}}`, ""},
		{"what is no project", "Database", `spec: {className: standard, gcp: {pscConfig: {allowedConsumerProjects: [projects/shop]}}}`, "spec.gcp.pscConfig.allowedConsumerProjects"},
		{"a project twice", "Database", `spec: {className: standard, gcp: {pscConfig: {allowedConsumerProjects: [shop-cluster, shop-cluster]}}}`, "Duplicate value"},
		{"what is no network to make an endpoint in", "Database", `spec: {className: standard, gcp: {pscConfig: {autoConnectionNetworks: [default]}}}`, "spec.gcp.pscConfig.autoConnectionNetworks"},
		{"what is no network attachment", "Database", `spec: {className: standard, gcp: {pscConfig: {networkAttachmentURI: a}}}`, "spec.gcp.pscConfig.networkAttachmentURI"},
		{"connection pools", "Database", `spec: {className: standard, gcp: {connectionPool: {enabled: true, flags: {max_pool_size: "50", pool_mode: session}}}}`, ""},
		{"a flag of connection pools that is no string", "Database", `spec: {className: standard, gcp: {connectionPool: {enabled: true, flags: {max_pool_size: 50}}}}`, "spec.gcp.connectionPool.flags.max_pool_size"},
		{"an edition that Cloud SQL does not sell", "Database", `spec: {className: standard, gcp: {edition: EnterprisePlus}}`, "spec.gcp.edition"},
		{"an edition and its tier", "Database", `spec: {className: standard, gcp: {edition: ENTERPRISE_PLUS, tier: db-perf-optimized-N-2}}`, ""},
		{"a track that Cloud SQL does not have", "Database", `spec: {className: standard, gcp: {maintenanceTrack: week2}}`, "spec.gcp.maintenanceTrack"},
		{"a certificate authority of one's own", "Database", `spec: {className: standard, gcp: {serverCAMode: CUSTOMER_MANAGED_CAS_CA}}`, "spec.gcp.serverCAMode"},
		{"a range of addresses by its CIDR", "Database", `spec: {className: standard, gcp: {allocatedIPRange: 10.0.0.0/20}}`, "spec.gcp.allocatedIPRange"},
		{"a period without maintenance in every year", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {startDate: "11-20", endDate: "01-05", time: "00:00"}}}`, ""},
		{"a period without maintenance of 90 days", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {startDate: "2026-11-01", endDate: "2027-01-30"}}}`, ""},
		{"a period without maintenance that ends on the 29th of February", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {startDate: "12-10", endDate: "02-29"}}}`, ""},
		{"no period without maintenance", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {}}}`, ""},
		{"a period without maintenance of 91 days", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {startDate: "2026-11-01", endDate: "2027-01-31"}}}`, "endDate must be 1 to 90 days after startDate"},
		{"a period without maintenance of half a year", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {startDate: "10-01", endDate: "03-31"}}}`, "endDate must be 1 to 90 days after startDate"},
		{"a period without maintenance that ends as it begins", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {startDate: "11-20", endDate: "11-20"}}}`, "endDate must be 1 to 90 days after startDate"},
		{"a period without maintenance that ends before it begins", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {startDate: "2026-11-20", endDate: "2026-11-10"}}}`, "endDate must be 1 to 90 days after startDate"},
		{"a period without maintenance with one year", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {startDate: "2026-11-20", endDate: "01-05"}}}`, "both have a year"},
		{"a period without maintenance without an end", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {startDate: "11-20"}}}`, "startDate and endDate need each other"},
		{"a period without maintenance from a day that is none", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {startDate: "11-31", endDate: "12-05"}}}`, "spec.gcp.denyMaintenancePeriod.startDate"},
		{"a period without maintenance from a date in other words", "Database", `spec: {className: standard, gcp: {denyMaintenancePeriod: {startDate: "11-1", endDate: "12-05"}}}`, "spec.gcp.denyMaintenancePeriod.startDate"},
		{"a length that no password of Mooring has", "Database", `spec: {className: standard, gcp: {passwordValidationPolicy: {minLength: 31}}}`, "spec.gcp.passwordValidationPolicy.minLength"},
		{"a machine for a tier", "Database", `spec: {className: standard, gcp: {tier: n1-standard-1}}`, "spec.gcp.tier"},
		{"a long username", "Database", `spec: {className: standard, credentials: {username: abcdefghijklmnopq}}`, "16"},
		{"an instance name with two hyphens", "Database", `spec: {className: standard, externalName: a--b}`, "must be an instance name"},
		{"an instance name that ends with a hyphen", "Database", `spec: {className: standard, externalName: a-}`, "must be an instance name"},
		{"an instance name that begins with a digit", "Database", `spec: {className: standard, externalName: 1a}`, "must be an instance name"},
		{"an observed database without a name", "Database", `spec: {className: standard, management: Observe}`, "needs spec.externalName"},
		{"a database's tags as AWS takes them", "Database", `spec: {className: standard, tags: {CostCenter: "Team Shop"}}`, ""},
		{"a database's tag with a key of AWS's", "Database", `spec: {className: standard, tags: {"aws:a": a}}`, "reserved for AWS"},
		{"a database's tag of Mooring's", "Database", `spec: {className: standard, tags: {mooring-uid: a}}`, "Mooring's own mark"},
		{"a database's name with a dot", "Database", `{metadata: {name: a.b}, spec: {className: standard}}`, "no dots"},

		{"a team's AWS account", "ProviderConfig", `spec: {aws: {region: eu-central-1, accountID: "111122223333"}, credentials: {secretRef: {name: keys}}}`, ""},
		{"a team's project", "ProviderConfig", `spec: {gcp: {project: my-project-1}, credentials: {secretRef: {name: keys}}}`, ""},
		{"AWS's other partitions", "ProviderConfig", `spec: {aws: {region: us-gov-west-1}, credentials: {secretRef: {name: keys}}}`, ""},
		{"authorities of RDS", "ProviderConfig", `spec: {aws: {region: eu-central-1}, databaseCAConfigMapRef: {name: rds-ca, key: eu-central-1-bundle.pem}, credentials: {secretRef: {name: keys}}}`, ""},
		{"authorities with a path", "ProviderConfig", `spec: {aws: {region: eu-central-1}, databaseCAConfigMapRef: {name: bank/ca}, credentials: {secretRef: {name: keys}}}`, "databaseCAConfigMapRef.name"},
		{"authorities of Cloud SQL", "ProviderConfig", `spec: {gcp: {project: my-project-1}, databaseCAConfigMapRef: {name: ca}, credentials: {secretRef: {name: keys}}}`, "databaseCAConfigMapRef is only for AWS"},
		{"a platform's authorities of Cloud SQL", "ClusterProviderConfig", `spec: {gcp: {project: my-project-1}, databaseCAConfigMapRef: {name: ca}, credentials: {ambient: {}}}`, "databaseCAConfigMapRef is only for AWS"},
		{"no cloud", "ProviderConfig", `spec: {credentials: {secretRef: {name: keys}}}`, "exactly one of spec.aws and spec.gcp"},
		{"both clouds", "ProviderConfig", `spec: {aws: {region: eu-central-1}, gcp: {project: my-project-1}, credentials: {secretRef: {name: keys}}}`, "exactly one of spec.aws and spec.gcp"},
		{"a country for a region", "ProviderConfig", `spec: {aws: {region: germany}, credentials: {secretRef: {name: keys}}}`, "spec.aws.region"},
		{"a short account id", "ProviderConfig", `spec: {aws: {region: eu-central-1, accountID: "11112222333"}, credentials: {secretRef: {name: keys}}}`, "spec.aws.accountID"},
		{"a project's number", "ProviderConfig", `spec: {gcp: {project: "123456"}, credentials: {secretRef: {name: keys}}}`, "spec.gcp.project"},
		{"a team without credentials", "ProviderConfig", `spec: {aws: {region: eu-central-1}}`, "spec.credentials: Required value"},
		{"a team with Mooring's identity", "ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {ambient: {}}}`, "exactly one of spec.credentials.secretRef and spec.credentials.webIdentity"},

		{"a team's ServiceAccount", "ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {webIdentity: {serviceAccountName: mooring, roleARN: "arn:aws:iam::111122223333:role/shop"}}}`, ""},
		{"a team's ServiceAccount at Google", "ProviderConfig", `spec: {gcp: {project: my-project-1}, credentials: {webIdentity: {serviceAccountName: mooring, provider: projects/1/locations/global/workloadIdentityPools/p/providers/k}, impersonateServiceAccount: a@my-project-1.iam.gserviceaccount.com}}`, ""},
		{"keys and a role", "ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: keys}, assumeRoles: [{roleARN: "arn:aws:iam::111122223333:role/a/b", externalID: "x:1"}]}}`, ""},
		{"keys and a ServiceAccount", "ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: keys}, webIdentity: {serviceAccountName: mooring, roleARN: "arn:aws:iam::111122223333:role/shop"}}}`, "exactly one of"},
		{"a ServiceAccount without a role", "ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {webIdentity: {serviceAccountName: mooring}}}`, "needs roleARN for AWS"},
		{"a ServiceAccount with the other cloud's words", "ProviderConfig", `spec: {gcp: {project: my-project-1}, credentials: {webIdentity: {serviceAccountName: mooring, roleARN: "arn:aws:iam::111122223333:role/shop"}}}`, "needs roleARN for AWS"},
		{"a role at Google", "ProviderConfig", `spec: {gcp: {project: my-project-1}, credentials: {secretRef: {name: keys}, assumeRoles: [{roleARN: "arn:aws:iam::111122223333:role/a"}]}}`, "assumeRoles is only for AWS"},
		{"impersonation in AWS", "ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: keys}, impersonateServiceAccount: a@b.iam.gserviceaccount.com}}`, "impersonateServiceAccount is only for Google Cloud"},
		{"a user for a role", "ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: keys}, assumeRoles: [{roleARN: "arn:aws:iam::111122223333:user/a"}]}}`, "roleARN"},

		{"a class of one line", "BucketClass", `spec: {providerConfigRef: {name: aws}}`, ""},
		{"a whole class", "DatabaseClass", `
spec:
  description: PostgreSQL for services
  providerConfigRef: {name: aws}
  allowedNamespaces: {matchLabels: {team: shop}}
  allowAdoption: Any
  maxPerNamespace: 3
  constraints: [{rule: "spec.engine == 'postgres'", message: only PostgreSQL, field: spec.engine}]
  updates: {disruptive: OnApproval}
  defaults: {engine: postgres, version: "16", backup: {retentionDays: 0}, tags: {team: a}}
  enforced: {deletionProtection: true, tags: {}}
  sizes: [{name: small, description: 2 vCPU, cost: about 20 EUR, aws: {instanceClass: db.t4g.small}, storage: {minGiB: 20, maxGiB: 100}}]
  defaultSize: small
  deletionPolicy: Retain
`, ""},
		{"a class without an account", "DatabaseClass", `spec: {}`, "spec.providerConfigRef or spec.accounts is required"},
		{"a class of buckets without an account", "BucketClass", `spec: {}`, "spec.providerConfigRef or spec.accounts is required"},
		{"an empty list of accounts", "DatabaseClass", `spec: {accounts: []}`, "spec.providerConfigRef or spec.accounts is required"},
		{"an empty list beside an account", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, accounts: []}`, ""},
		{"a list of accounts", "DatabaseClass", `spec: {accounts: [{namespaceSelector: {matchLabels: {team: bank}}, providerConfigRef: {name: bank}}, {namespaceSelector: {}, providerConfigRef: {name: aws}}]}`, ""},
		{"a list, and an account for the rest", "BucketClass", `spec: {providerConfigRef: {name: aws}, accounts: [{namespaceSelector: {matchLabels: {team: bank}}, providerConfigRef: {name: bank}}]}`, ""},
		{"an account for nobody", "BucketClass", `spec: {accounts: [{providerConfigRef: {name: aws}}]}`, "spec.accounts[0].namespaceSelector: Required value"},
		{"namespaces without an account", "BucketClass", `spec: {accounts: [{namespaceSelector: {}}]}`, "spec.accounts[0].providerConfigRef: Required value"},
		{"an account of the list with a path", "BucketClass", `spec: {accounts: [{namespaceSelector: {}, providerConfigRef: {name: a/b}}]}`, "spec.accounts[0].providerConfigRef.name"},
		{"too many accounts", "BucketClass", `spec: {accounts: [` + strings.Repeat(`{namespaceSelector: {}, providerConfigRef: {name: aws}},`, 65) + `]}`, "must have at most 64 items"},
		{"locations", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, locations: [eu-central-1, eu-west-1]}`, ""},
		{"a multi-region", "BucketClass", `spec: {providerConfigRef: {name: gcp}, locations: [eu, europe-west3]}`, ""},
		{"a location in upper case", "BucketClass", `spec: {providerConfigRef: {name: gcp}, locations: [EU]}`, "spec.locations[0]"},
		{"a location twice", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, locations: [eu-west-1, eu-central-1, eu-west-1]}`, "spec.locations must not name a location twice"},
		{"a default size that is none", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, defaultSize: small}`, "must be the name of one of spec.sizes"},
		{"a size that gives nothing", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, sizes: [{name: small}]}`, "needs aws.instanceClass or gcp.tier"},
		{"a size with an empty block", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, sizes: [{name: small, aws: {}}]}`, "needs aws.instanceClass or gcp.tier"},
		{"a size twice", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, sizes: [{name: small, aws: {instanceClass: db.t4g.small}}, {name: small, aws: {instanceClass: db.t4g.large}}]}`, "Duplicate value"},
		{"sizes of both clouds", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, sizes: [{name: small, aws: {instanceClass: db.t4g.small}}, {name: large, gcp: {tier: db-f1-micro}}]}`, "exclude each other in a class"},
		{"bounds the wrong way round", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, sizes: [{name: small, aws: {instanceClass: db.t4g.small}, storage: {minGiB: 100, maxGiB: 20}}]}`, "must not be more than"},
		{"a class's tags as AWS takes them", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, defaults: {tags: {CostCenter: "Team Shop"}}, enforced: {tags: {"cost:center": "A B"}}}`, ""},
		{"a class's tag of AWS's", "BucketClass", `spec: {providerConfigRef: {name: aws}, enforced: {tags: {"aws:a": a}}}`, "reserved for AWS"},
		{"a class's tag of Mooring's", "BucketClass", `spec: {providerConfigRef: {name: aws}, defaults: {tags: {mooring-uid: a}}}`, "Mooring's own mark"},
		{"an enforced tag of Mooring's", "DatabaseClass", `spec: {providerConfigRef: {name: aws}, enforced: {tags: {mooring-uid: a}}}`, "Mooring's own mark"},
		{"a constraint without a message", "BucketClass", `spec: {providerConfigRef: {name: aws}, constraints: [{rule: "true"}]}`, "message: Required value"},
		{"a snapshot of a class's buckets", "BucketClass", `spec: {providerConfigRef: {name: aws}, deletionPolicy: Snapshot}`, "supported values"},
		{"a class's name with a dot", "BucketClass", `{metadata: {name: a.b}, spec: {providerConfigRef: {name: aws}}}`, "no dots"},

		{"Mooring's identity", "ClusterProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {ambient: {}}, allowedNamespaces: {}, directUse: true}`, ""},
		{"a private endpoint", "ClusterProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: keys}}, endpoint: "http://127.0.0.1:4566"}`, ""},
		{"no credentials", "ClusterProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {}}`, "exactly one of spec.credentials.secretRef, spec.credentials.ambient and spec.credentials.webIdentity"},
		{"two credentials", "ClusterProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {ambient: {}, secretRef: {name: keys}}}`, "exactly one of spec.credentials.secretRef, spec.credentials.ambient and spec.credentials.webIdentity"},
		{"a file for an endpoint", "ClusterProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {ambient: {}}, endpoint: "file:///etc/passwd"}`, "spec.endpoint"},
		{"a path in an endpoint", "ClusterProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {ambient: {}}, endpoint: "https://a/b"}`, "spec.endpoint"},
		{"a platform's config without a cloud", "ClusterProviderConfig", `spec: {credentials: {ambient: {}}}`, "exactly one of spec.aws and spec.gcp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answered(t, api.Create(t.Context(), object(t, tt.kind, tt.object), client.DryRunAll), tt.want)
		})
	}
}

func many(prefix string, n int) string {
	var entries []string
	for i := range n {
		entries = append(entries, prefix+string(rune('a'+i/26))+string(rune('a'+i%26))+": v")
	}
	return strings.Join(entries, ", ")
}

// A namespace in a reference, an endpoint or an identity where a tenant may not have it: there is no such
// field, kubectl refuses it, and what slips through is dropped.
func TestTenantsHaveNoWayOut(t *testing.T) {
	for _, tt := range []struct{ kind, object, field string }{
		{"Bucket", `spec: {providerConfigRef: {name: team, namespace: bank}}`, "spec.providerConfigRef.namespace"},
		{"Bucket", `spec: {className: standard, connection: {secretName: a, namespace: bank}}`, "spec.connection.namespace"},
		{"Database", `spec: {className: standard, credentials: {passwordSecretRef: {name: a, namespace: bank}}}`, "spec.credentials.passwordSecretRef.namespace"},
		{"ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: a, namespace: bank}}}`, "spec.credentials.secretRef.namespace"},
		{"ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: a}}, endpoint: "http://169.254.169.254"}`, "spec.endpoint"},
		{"ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: a}, ambient: {}}}`, "spec.credentials.ambient"},
	} {
		t.Run(tt.field, func(t *testing.T) {
			strict := object(t, tt.kind, tt.object)
			if err := api.Create(t.Context(), strict, client.DryRunAll, client.FieldValidation("Strict")); err == nil || !strings.Contains(err.Error(), `unknown field "`+tt.field+`"`) {
				t.Errorf("strictly: %v", err)
			}
			o := object(t, tt.kind, tt.object)
			if err := api.Create(t.Context(), o, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			path := strings.Split(tt.field, ".")
			var at any = o.Object
			for _, step := range path {
				if m, ok := at.(map[string]any); ok {
					at = m[step]
				}
			}
			if at != nil {
				t.Errorf("it was stored: %v", at)
			}
		})
	}
}
