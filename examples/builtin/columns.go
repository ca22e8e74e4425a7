package builtin

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// age is the last column of most kinds: a text, as the kinds of Kubernetes have it.
func age() server.Column {
	return server.Column{
		Name: "Age", Type: "string", Description: "How long ago the object was created.",
		Value: func(o object.Object) any { return since(text(o, "metadata", "creationTimestamp")) },
	}
}

// createdAt is the column of kinds that nobody wrote columns for: the time as it is.
func createdAt() server.Column {
	return server.Column{
		Name: "Created At", Type: "date", Verbatim: true, Description: "When the object was created.",
		Value: func(o object.Object) any {
			return cmp.Or(text(o, "metadata", "creationTimestamp"), "0001-01-01T00:00:00Z")
		},
	}
}

// since says in words how long ago a time of a document was.
func since(rfc3339 string) string {
	t, err := time.Parse(time.RFC3339, rfc3339)
	if err != nil {
		return "<unknown>"
	}
	return duration.HumanDuration(time.Since(t))
}
