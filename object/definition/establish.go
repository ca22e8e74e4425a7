package definition

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Establish says in the status of a definition whose names are accepted that it is
// in use, in place; unless the certificates of its conversion webhook are none.
func Establish(o object.Object, now time.Time) (changed bool) {
	if !IsTrue(o, "NamesAccepted") || IsTrue(o, "Established") {
		return false
	}
	spec := node(o).node("spec")
	if c := readConversion(spec.node("conversion")); c.client != nil && caBundleError(c.client.caBundle) != nil {
		return SetCondition(o, Condition{"Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid"}, now)
	}
	return SetCondition(o, Condition{"Established", "True", "InitialNamesAccepted", "the initial names have been accepted"}, now)
}

// MarkApproval says in the status of a definition in a group of the Kubernetes
// community whether it is an approved one, in place. Others are left alone.
func MarkApproval(o object.Object, now time.Time) (changed bool) {
	if !isCommunityGroup(node(o).node("spec").text("group")) {
		return false
	}
	state, message := approvalOf(o)
	c := Condition{"KubernetesAPIApprovalPolicyConformant", "False", "", message}
	switch state {
	case approved:
		c.Status, c.Reason = "True", "ApprovedAnnotation"
	case approvalBypassed:
		c.Reason = "UnapprovedAnnotation"
	case approvalMissing:
		c.Reason = "MissingAnnotation"
	default:
		c.Reason = "InvalidAnnotation"
	}
	return SetCondition(o, c, now)
}

// MarkSchema says in the status of a definition whether its schemas are structural
// and its unknown fields pruned, in place.
func MarkSchema(o object.Object, now time.Time) (changed bool) {
	message := schemaViolations(o)
	if message == "" {
		return RemoveCondition(o, "NonStructuralSchema")
	}
	return SetCondition(o, Condition{"NonStructuralSchema", "True", "Violations", message}, now)
}

const approvalAnnotation = "api-approved.kubernetes.io"

type approval int

const (
	approvalInvalid approval = iota
	approved
	approvalBypassed
	approvalMissing
)

func isCommunityGroup(group string) bool {
	return group == "k8s.io" || strings.HasSuffix(group, ".k8s.io") ||
		group == "kubernetes.io" || strings.HasSuffix(group, ".kubernetes.io")
}

// approvalOf reads the annotation by which groups of the community are approved.
func approvalOf(o object.Object) (state approval, message string) {
	const need = `protected groups must have approval annotation "` + approvalAnnotation + `"`
	const see = `, see https://github.com/kubernetes/enhancements/pull/1111`
	annotation := o.Annotations()[approvalAnnotation]
	link, err := url.ParseRequestURI(annotation)
	switch {
	case annotation == "":
		return approvalMissing, need + see
	case strings.HasPrefix(annotation, "unapproved"):
		return approvalBypassed, "not approved: " + strconv.Quote(annotation)
	case err == nil && link.Host != "" && link.Scheme != "":
		return approved, "approved in " + annotation
	}
	return approvalInvalid, need + ` with either a URL or a reason starting with "unapproved"` + see
}
