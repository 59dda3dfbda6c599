package v1alpha1

// BucketNotificationsAWS says to whom S3 sends the events of the objects of a bucket.
// +kubebuilder:validation:XValidation:rule="((has(self.queues) ? self.queues.map(n, n.name) : []) + (has(self.topics) ? self.topics.map(n, n.name) : []) + (has(self.functions) ? self.functions.map(n, n.name) : [])).all(name, [has(self.queues) && self.queues.exists(n, n.name == name), has(self.topics) && self.topics.exists(n, n.name == name), has(self.functions) && self.functions.exists(n, n.name == name)].filter(there, there).size() == 1)",message="two entries of queues, topics and functions have one name, and S3 keeps them in one document by their names: give each a name of its own"
type BucketNotificationsAWS struct {
	// eventBridge is true if S3 sends all events of the bucket to Amazon EventBridge, where rules choose among them. If unset, a new bucket has
	// false, and an existing bucket keeps what it has. A change works within about 5 minutes.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/EventBridge.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/enable-event-notifications-eventbridge.html
	// +optional
	EventBridge *bool `json:"eventBridge,omitempty"`

	// queues are the queues of Amazon SQS that get events. Mooring keeps entries that others set, and [] removes those that the
	// spec had. One of others by the name of an entry here is taken over if it says the same, and otherwise stays, and the field is refused with the reason Conflict. If unset, a new bucket has none, and an existing bucket keeps what it has. Through a ClusterProviderConfig, the class decides
	// which queues an object may name. S3 sends a test event when it takes the entries, so the policy of each queue has to let
	// s3.amazonaws.com send messages first.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/grant-destinations-permissions-to-s3.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:XValidation:rule="self.all(n, self.exists_one(o, o.name == n.name))",message="two entries have one name: give each entry a name of its own"
	// +kubebuilder:validation:XValidation:rule="self.all(n, n.arn.matches('^arn:aws[a-z-]*:sqs:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,80}$'))",message="arn must be the ARN of a standard queue of Amazon SQS, such as arn:aws:sqs:eu-central-1:111122223333:uploads: S3 sends no events to a FIFO queue"
	Queues []BucketNotificationAWS `json:"queues,omitzero"`

	// topics are the topics of Amazon SNS that get events. Mooring keeps entries that others set, and [] removes those that the
	// spec had. One of others by the name of an entry here is taken over if it says the same, and otherwise stays, and the field is refused with the reason Conflict. If unset, a new bucket has none, and an existing bucket keeps what it has. Through a ClusterProviderConfig, the class decides
	// which topics an object may name. S3 sends a test event when it takes the entries, so the policy of each topic has to let
	// s3.amazonaws.com publish first.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/grant-destinations-permissions-to-s3.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:XValidation:rule="self.all(n, self.exists_one(o, o.name == n.name))",message="two entries have one name: give each entry a name of its own"
	// +kubebuilder:validation:XValidation:rule="self.all(n, n.arn.matches('^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}$'))",message="arn must be the ARN of a standard topic of Amazon SNS, such as arn:aws:sns:eu-central-1:111122223333:uploads: S3 sends no events to a FIFO topic"
	Topics []BucketNotificationAWS `json:"topics,omitzero"`

	// functions are the functions of AWS Lambda that get events. Mooring keeps entries that others set, and [] removes those that the
	// spec had. One of others by the name of an entry here is taken over if it says the same, and otherwise stays, and the field is refused with the reason Conflict. If unset, a new bucket has none, and an existing bucket keeps what it has. Through a ClusterProviderConfig, the class decides
	// which functions an object may name. S3 looks at the functions when it takes the entries, so the policy of each function has to let
	// s3.amazonaws.com invoke it first.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/grant-destinations-permissions-to-s3.html
	// Source: https://docs.aws.amazon.com/lambda/latest/dg/with-s3.html
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:XValidation:rule="self.all(n, self.exists_one(o, o.name == n.name))",message="two entries have one name: give each entry a name of its own"
	// +kubebuilder:validation:XValidation:rule="self.all(n, n.arn.matches('^arn:aws[a-z-]*:lambda:[a-z0-9-]+:[0-9]{12}:function:[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9$_-]{1,128})?$'))",message="arn must be the ARN of a function of AWS Lambda, such as arn:aws:lambda:eu-central-1:111122223333:function:resize, with :VERSION or :ALIAS behind it if the policy of that lets S3 invoke it"
	Functions []BucketNotificationAWS `json:"functions,omitzero"`
}

// BucketNotificationAWS sends some events of a bucket to one place.
type BucketNotificationAWS struct {
	// name distinguishes the entry from the others of the bucket. S3 keeps it as the entry's ID, and sends it with each event as configurationId.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Name string `json:"name"`

	// arn is the queue, topic or function that gets the events. It is in the region of the bucket.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html
	// +required
	// +kubebuilder:validation:MinLength=20
	// +kubebuilder:validation:MaxLength=350
	ARN string `json:"arn"`

	// events are the sorts of events, for example s3:ObjectCreated:*, which is all that begin with s3:ObjectCreated. Their order means nothing. Two
	// entries of a bucket that have an event in common need prefixes or suffixes that no object has both of.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=31
	// +kubebuilder:validation:items:Enum="s3:ObjectCreated:*";"s3:ObjectCreated:Put";"s3:ObjectCreated:Post";"s3:ObjectCreated:Copy";"s3:ObjectCreated:CompleteMultipartUpload";"s3:ObjectRemoved:*";"s3:ObjectRemoved:Delete";"s3:ObjectRemoved:DeleteMarkerCreated";"s3:ObjectRestore:*";"s3:ObjectRestore:Post";"s3:ObjectRestore:Completed";"s3:ObjectRestore:Delete";"s3:ReducedRedundancyLostObject";"s3:Replication:*";"s3:Replication:OperationFailedReplication";"s3:Replication:OperationMissedThreshold";"s3:Replication:OperationReplicatedAfterThreshold";"s3:Replication:OperationNotTracked";"s3:LifecycleExpiration:*";"s3:LifecycleExpiration:Delete";"s3:LifecycleExpiration:DeleteMarkerCreated";"s3:LifecycleTransition";"s3:IntelligentTiering";"s3:ObjectTagging:*";"s3:ObjectTagging:Put";"s3:ObjectTagging:Delete";"s3:ObjectAcl:Put";"s3:ObjectAnnotation:*";"s3:ObjectAnnotation:Put";"s3:ObjectAnnotation:Delete";"s3:ObjectRetention:Put"
	Events []string `json:"events"`

	// prefix is how the names of the objects begin whose events are sent. Special characters in it are URL-encoded, such as %20. If unset, names may
	// begin as they like.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Prefix *string `json:"prefix,omitempty"`

	// suffix is how the names of the objects end whose events are sent. Special characters in it are URL-encoded, such as %20. If unset, names may end
	// as they like.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Suffix *string `json:"suffix,omitempty"`
}

// BucketNotificationGCP sends some events of a bucket to one topic of Pub/Sub.
type BucketNotificationGCP struct {
	// topic is the topic that gets the events, as projects/PROJECT/topics/TOPIC.
	// Source: https://cloud.google.com/storage/docs/json_api/v1/notifications
	// +required
	// +kubebuilder:validation:MaxLength=350
	// +kubebuilder:validation:Pattern=`^projects/[a-z0-9][a-z0-9.:-]{3,80}/topics/[A-Za-z][A-Za-z0-9._~+%-]{2,254}$`
	Topic string `json:"topic"`

	// eventTypes are the sorts of events: OBJECT_FINALIZE (an object was written), OBJECT_METADATA_UPDATE, OBJECT_DELETE (it was deleted or overwritten,
	// and no version of it stays) or OBJECT_ARCHIVE (it became a noncurrent version). If unset, all are sent.
	// Source: https://cloud.google.com/storage/docs/pubsub-notifications#events
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:Enum=OBJECT_FINALIZE;OBJECT_METADATA_UPDATE;OBJECT_DELETE;OBJECT_ARCHIVE
	EventTypes []string `json:"eventTypes,omitempty"`

	// objectNamePrefix is how the names of the objects begin whose events are sent. If unset, names may begin as they like.
	// Source: https://cloud.google.com/storage/docs/json_api/v1/notifications
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	ObjectNamePrefix *string `json:"objectNamePrefix,omitempty"`

	// payloadFormat is what a message has beside its attributes: JSON_API_V1 for the metadata of the object as JSON, or NONE. If unset, it is JSON_API_V1.
	// Source: https://cloud.google.com/storage/docs/pubsub-notifications#payload
	// +optional
	// +kubebuilder:validation:Enum=JSON_API_V1;NONE
	PayloadFormat *string `json:"payloadFormat,omitempty"`

	// customAttributes are attributes that each message has beside those of Cloud Storage.
	// Source: https://cloud.google.com/storage/docs/json_api/v1/notifications
	// Source: https://cloud.google.com/pubsub/quotas#resource_limits
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=10
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.size() >= 1 && k.size() <= 256)",message="names of attributes must have 1 to 256 characters, because Pub/Sub takes no longer ones: shorten them"
	CustomAttributes map[string]AttributeValue `json:"customAttributes,omitempty"`
}

// AttributeValue is the value of an attribute of a message.
// +kubebuilder:validation:MaxLength=1024
type AttributeValue string
