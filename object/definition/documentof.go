package definition

import "github.com/seed-6c0fa0ad/plinth/object/schema"

// documentOf gives the form in which the API stores a schema.
func documentOf(_ *schema.Schema, doc map[string]any) map[string]any { return doc }
