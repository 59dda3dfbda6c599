package v1alpha1

// MinorUpgrades says who upgrades a database server to newer minor versions.
type MinorUpgrades string

// The values of MinorUpgrades.
const (
	MinorUpgradesAutomatic MinorUpgrades = "Automatic"
	MinorUpgradesManual    MinorUpgrades = "Manual"
)

// Weekday is a day of the week in UTC.
type Weekday string

// The values of Weekday.
const (
	Sunday    Weekday = "Sunday"
	Monday    Weekday = "Monday"
	Tuesday   Weekday = "Tuesday"
	Wednesday Weekday = "Wednesday"
	Thursday  Weekday = "Thursday"
	Friday    Weekday = "Friday"
	Saturday  Weekday = "Saturday"
)

// DatabaseMaintenance configures what the cloud does to a server by itself.
type DatabaseMaintenance struct {
	// window is when the cloud may maintain the server each week. AWS: the window has 30 minutes. A longer one that begins at this time
	// is not drift. It must not overlap the backup window: set the two at least 30 minutes apart.
	// Changes and maintenance that wait for the window begin at once if the new window includes the present time, which may restart the
	// server without approval. Google Cloud: the window has one hour and begins at a full hour. Mooring's own changes wait for the window
	// only with updates.timing. If unset, RDS chooses a window, and Cloud SQL may maintain the server at any time.
	// +optional
	Window *MaintenanceWindow `json:"window,omitempty"`

	// minorUpgrades is Automatic or Manual. With Automatic, the cloud upgrades the server to newer minor versions in its maintenance
	// window, which restarts it. With Manual, minor versions change only with spec.version, or when the cloud no longer supports the
	// one that runs. Google Cloud always upgrades automatically and refuses Manual. If unset, it is Automatic for a new server.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html
	// Source: https://cloud.google.com/sql/docs/postgres/maintenance
	// +optional
	// +kubebuilder:validation:Enum=Automatic;Manual
	MinorUpgrades *MinorUpgrades `json:"minorUpgrades,omitempty"`
}

// MaintenanceWindow is when a maintenance window begins each week.
// +kubebuilder:validation:XValidation:rule="has(self.day) && has(self.startTime)",message="day and startTime need each other: set both"
type MaintenanceWindow struct {
	// day of the week on which the window begins in UTC: Monday to Sunday.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.Maintenance.html
	// Source: https://cloud.google.com/sql/docs/postgres/maintenance
	// +optional
	// +kubebuilder:validation:Enum=Monday;Tuesday;Wednesday;Thursday;Friday;Saturday;Sunday
	Day *Weekday `json:"day,omitempty"`

	// startTime is when the window begins, HH:MM in UTC, for example "03:00". Google Cloud: a full hour.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.Maintenance.html
	// Source: https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#MaintenanceWindow
	// +optional
	// +kubebuilder:validation:Pattern=`^([01][0-9]|2[0-3]):[0-5][0-9]$`
	// +kubebuilder:validation:MaxLength=5
	StartTime *string `json:"startTime,omitempty"`
}
