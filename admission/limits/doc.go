// Package limits keeps containers, pods and claims within the LimitRanges of their
// namespace, as kube-apiserver's LimitRanger does.
//
// [Ranges] is a mutator and a validator: it gives containers the requests and limits that
// they lack, and refuses what is less than the minimum, more than the maximum, or too far
// apart. It holds no state.
package limits
