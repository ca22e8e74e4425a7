package main

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// keyOf names an object that was read.
func keyOf(r resource, m *metav1.ObjectMeta) object.Key {
	return object.Key{GroupResource: r.group(), Namespace: m.Namespace, Name: m.Name}
}

// describe gives what a collector has to know of an object.
func describe(r resource, m *metav1.ObjectMeta) object.Object {
	apiVersion, kind := r.gvr.GroupVersion().WithKind(r.kind).ToAPIVersionAndKind()
	o := object.Object{}
	o.SetType(object.TypeMeta{APIVersion: apiVersion, Kind: kind})
	o.SetName(m.Name)
	o.SetNamespace(m.Namespace)
	o.SetUID(string(m.UID))
	o.SetResourceVersion(m.ResourceVersion)
	if m.DeletionTimestamp != nil {
		o.SetDeletionTimestamp(m.DeletionTimestamp.Time)
	}
	o.SetFinalizers(m.Finalizers)
	var owners []object.OwnerReference
	for _, ref := range m.OwnerReferences {
		owners = append(owners, object.OwnerReference{
			APIVersion: ref.APIVersion, Kind: ref.Kind, Name: ref.Name, UID: string(ref.UID),
			Controller: ref.Controller, BlockOwnerDeletion: ref.BlockOwnerDeletion,
		})
	}
	o.SetOwnerReferences(owners)
	return o
}

// translate gives an error about one object as package gc knows it. That there is nothing at a
// path at all does not say that the object is gone: its kind may be served in another version now, or
// be back in a moment.
func translate(err error, key object.Key) error {
	if apierrors.IsNotFound(err) && !isNoPath(err) {
		return object.NotFound(key.GroupResource, key.Name)
	}
	return err
}

// translateList gives an error about the objects of a resource; NotFound if it is not served.
func translateList(err error, key object.Key) error {
	if apierrors.IsNotFound(err) {
		return object.NotFound(key.GroupResource, "")
	}
	return err
}

// isNoPath says whether the server did not understand the path of a request.
func isNoPath(err error) bool {
	return apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}
