package definition

import "github.com/seed-6c0fa0ad/plinth/object"

func (v *Version) ruleErrors(next, old object.Object) object.FieldErrors { return nil }
