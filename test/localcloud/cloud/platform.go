package cloud

import "regexp"

// PlatformDestinations are the queues, topics and functions that every account has in each region, with policies that let S3 use them: whoever set it up
// made them. Those that begin with deaf- have policies that do not. pubsubtopic is a topic of the recordings.
var PlatformDestinations = regexp.MustCompile(`^(?:(deaf)-)?(?:events|uploads|audit|pubsubtopic)(?:-[a-z0-9]+)*$`)
