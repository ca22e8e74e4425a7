// Package amounts reads what objects ask for: quantities by the names of resources, such as
// 500m of cpu and 1Gi of memory.
//
// [Amounts] are a list of them with its arithmetic; [Spec] and [Effective] give those of a pod.
// Documents are read-only; the results belong to the caller.
package amounts
