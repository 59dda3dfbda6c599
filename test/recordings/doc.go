// Package recordings compares drivers and stand-ins with what the real clouds answered.
//
// The recordings are files of JSON that are no part of the repository. The variable MOORING_RECORDINGS names their folder;
// without it the tests look for ../shared/recordings, beside the repository. Where there is none, the tests are skipped and the
// package prints "recordings: NOT TESTED"; otherwise it prints how many cases of each file ran in each direction, and how many
// were set aside with a reason. A file in the folder, or in a folder below it, that no test takes is printed as NOT TESTED, and fails. See the lines by
//
//	go test -C test/recordings -count=1
//
// There are two directions. Replayed: each recorded answer is served to the drivers over HTTP. An observation must show no
// difference to the specification that asked for it, classify states and errors rightly, and mirror what is there.
// Driven: each recorded request goes to the stand-ins, and their answers are compared with the recorded ones, field by
// field. A difference is mended in the stand-in, or stands in a list (known_*_test.go) with its reason. An entry that explains
// nothing any more fails too.
//
// The recordings of AWS hold answers without the requests. Those of RDS are decoded by the SDK without loss, and each instance in
// them is made in the stand-in by calls that ask for what it shows. The calls of S3 are written out in s3Cases. Calls that no
// driver makes are listed with the reason (uncalledByDatabases, uncalledByBuckets, unknownToS3), so that a new recording fails until
// somebody decides. Recordings that were edited by hand are weaker evidence, and the lists say so.
//
// Three questions are asked of each recorded answer. Replayed and driven are the first two. The third is that its mirror (status.observed) passes admission as a spec, or says in words what no spec can say
// (mirror_test.go, unsaid). A mutation of each leaf has to change what the driver reports, or the leaf stands in a list with the reason (mutation_test.go, known_mutation_test.go).
//
// What drivers send is compared as well (sent_test.go, known_sent_test.go). A spec asks for what a recorded change ended in: it is the mirror of the recorded answer after it. The driver is shown the answer from
// before the change, and makes it. For Google Cloud its calls, with their query parameters and each leaf of their bodies, are compared with the recorded request; for S3 its documents with those in s3Cases; and for
// RDS, where nobody recorded or documents a request, each parameter of a creation or a change with what the recorded instance shows, or shows as waiting. What can't be compared: changes that no recorded answer shows the
// end of, such as creations of buckets of S3; calls that a cloud refused; what an answer never shows, such as passwords; the authorized networks of Cloud SQL, which those who recorded them emptied in the answers (known_sent_test.go); and whether a change of RDS waited for its window. That a request leaves something out is seen for
// Google Cloud and S3 alone.
//
// The evidence ranks: what others recorded (more, without gcs-2019.json) and the reference of a cloud first; then gcs-2019.json, as defaults have changed since; and then cloudsql.json, whose logs equal those of the mock of
// those who recorded them. Where such a log contradicts the reference, the reference decides, and the list says so: high availability without backups (noBackups), and the hour of backups that
// nobody asked for, which is 12:00 in all of them and another one in more.
//
// No recording shows a page of a list that is not the last one, a token or its refusal, a list by a filter, or any list of buckets or instances of
// Google Cloud. The stand-ins do there what the documentation says (test/localcloud/cloud/page.go).
//
// No recording shows a call that makes or promotes a read replica of RDS, or any promotion or refusal of one of Cloud SQL. A replica of RDS that a recording shows is made by the call.
//
// No recording shows a blue/green deployment of RDS, or a check before an upgrade in Cloud SQL. The stand-ins do there what the references and the guides say, and what people report; which of
// it was never seen stands in test/localcloud/rds/bluegreen.go and sql/precheck.go.
//
// No recording shows a restore of a snapshot or a backup, one to a point in time, a clone of a point in time, or a list of automated backups. The stand-ins do
// there what the references of the calls say, and say so (test/localcloud/rds/restore.go, sql/restore.go).
//
// What the recordings taught the stand-ins stands in the stand-ins' own tables, and is tested in test/localcloud without
// the recordings.
package recordings
