// Package quota keeps namespaces within their ResourceQuotas: numbers of objects of any
// resource, what pods and claims declare, in scopes.
//
// An [Enforcer] is an [admission.Validator] that refuses what a quota has no room for, in the
// words of kube-apiserver, and charges the rest to the status of the quota before it comes
// to pass. Its [Enforcer.Run] follows the changes of a cluster and counts again where
// something went away or changed, where a quota is new or its limits are others, and where a
// charge came to nothing. A quota is in force as soon as it can be read: who asks first
// counts what there is.
//
// What it needs it gets from a [Cluster]. Requests of one namespace that come at once are
// charged with one write. Several Enforcers may share a cluster: the statuses of quotas are
// written under the condition that nobody else wrote them meanwhile.
package quota
