package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// imageTags is a policy that wants images to have a tag, and a fixed one.
const imageTags = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: image-tags}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}
  variables:
  - name: images
    expression: object.spec.containers.map(c, c.image)
  - name: loose
    expression: "variables.images.filter(i, !i.matches(':[^/]+$') || i.endsWith(':latest'))"
  validations:
  - expression: variables.loose.size() == 0
    messageExpression: "'give these images a fixed tag: ' + variables.loose.join(', ')"
    reason: Forbidden
  auditAnnotations:
  - {key: images, valueExpression: "variables.images.join(', ')"}
`

// bindImageTags puts it in force with the actions.
func (k *kubectl) bindImageTags(actions string) {
	k.Helper()
	k.run("apply", "-f", k.file("binding.yaml", fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: image-tags}
spec: {policyName: image-tags, validationActions: [%s]}
`, actions)))
}

func TestKubectlMeetsAPolicy(t *testing.T) {
	s := startServer(t)
	k := newKubectl(t, s)
	k.run("apply", "-f", k.file("policy.yaml", imageTags))
	k.bindImageTags("Deny")

	const denied = `pods "web" is forbidden: ValidatingAdmissionPolicy 'image-tags' with binding 'image-tags' denied request: give these images a fixed tag: `
	for _, image := range []string{"nginx", "nginx:latest", "registry.example:5000/nginx"} {
		require.Contains(t, k.fail("run", "web", "--image", image), denied+image)
		require.Contains(t, k.fail("run", "web", "--image", image, "--dry-run=server"), denied+image)
	}
	require.Contains(t, k.run("run", "web", "--image", "nginx:1.27", "--dry-run=server"), "pod/web created (server dry run)")
	k.run("run", "web", "--image", "nginx:1.27")
	require.Contains(t, k.fail("set", "image", "pod/web", "web=nginx:latest"), denied+"nginx:latest")

	k.bindImageTags("Warn")
	out, err := k.command("run", "warned", "--image", "nginx").CombinedOutput()
	require.NoError(t, err)
	require.Contains(t, string(out), "Warning: Validation failed for ValidatingAdmissionPolicy 'image-tags' with binding 'image-tags': give these images a fixed tag: nginx\n")
	require.Contains(t, string(out), "pod/warned created")

	k.bindImageTags("Audit")
	out, err = k.command("run", "audited", "--image", "nginx").CombinedOutput()
	require.NoError(t, err)
	require.NotContains(t, string(out), "Warning")
	require.Contains(t, s.messages.String(), "image-tags/images:nginx")
	require.Contains(t, s.messages.String(), `\"message\":\"give these images a fixed tag: nginx\"`)

	require.Contains(t, k.run("get", "validatingadmissionpolicies"), "image-tags   1             <unset>")
	require.Contains(t, k.run("get", "validatingadmissionpolicybindings"), "image-tags   image-tags   <unset>")
	k.run("delete", "validatingadmissionpolicybinding", "image-tags")
	k.run("run", "free", "--image", "nginx")
}
