package trace

// The kinds and fields of WorkerImpl, until its package uses what it registers.
var (
	KindTask      = KindNamed("task")
	KindNode      = KindNamed("node")
	KindContainer = KindNamed("container")

	FieldService      = NewField("service")
	FieldSlot         = NewField("slot")
	FieldNode         = NewField("node")
	FieldState        = NewField("state")
	FieldDesiredState = NewField("desired_state")
)
