package apply

import smd "sigs.k8s.io/structured-merge-diff/v4/schema"

// metaFields are the type and the metadata that all resources have, whatever their
// schemas say of them.
func (b *bridge) metaFields() []smd.StructField {
	if b.metadata.Map == nil {
		b.metadata = metadataAtom()
	}
	return []smd.StructField{field("apiVersion", scalar(smd.String)), field("kind", scalar(smd.String)), field("metadata", b.metadata)}
}

func isMetaField(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}

func field(name string, a smd.Atom) smd.StructField {
	return smd.StructField{Name: name, Type: smd.TypeRef{Inlined: a}}
}

// metadataAtom is how metadata merges: labels and annotations one by one, finalizers
// as a set, owner references by uid and each as a whole.
func metadataAtom() smd.Atom {
	return structure(
		field("annotations", texts()),
		field("creationTimestamp", scalar(smd.Untyped)),
		field("deletionGracePeriodSeconds", scalar(smd.Numeric)),
		field("deletionTimestamp", scalar(smd.Untyped)),
		field("finalizers", listOf(scalar(smd.String), smd.Associative)),
		field("generateName", scalar(smd.String)),
		field("generation", scalar(smd.Numeric)),
		field("labels", texts()),
		field("managedFields", listOf(structure(
			field("apiVersion", scalar(smd.String)),
			field("fieldsType", scalar(smd.String)),
			smd.StructField{Name: "fieldsV1", Type: smd.TypeRef{Inlined: smd.Atom{Map: &smd.Map{ElementType: named(deducedName)}}}},
			field("manager", scalar(smd.String)),
			field("operation", scalar(smd.String)),
			field("subresource", scalar(smd.String)),
			field("time", scalar(smd.Untyped)),
		), smd.Atomic)),
		field("name", scalar(smd.String)),
		field("namespace", scalar(smd.String)),
		field("ownerReferences", listOf(ownerReference(), smd.Associative, "uid")),
		field("resourceVersion", scalar(smd.String)),
		field("selfLink", scalar(smd.String)),
		field("uid", scalar(smd.String)),
	)
}

func ownerReference() smd.Atom {
	text := func(name string) smd.StructField {
		f := field(name, scalar(smd.String))
		f.Default = "" // all of them count as set
		return f
	}
	a := structure(
		text("apiVersion"), text("kind"), text("name"), text("uid"),
		field("blockOwnerDeletion", scalar(smd.Boolean)),
		field("controller", scalar(smd.Boolean)),
	)
	a.Map.ElementRelationship = smd.Atomic
	return a
}

func structure(fields ...smd.StructField) smd.Atom { return smd.Atom{Map: &smd.Map{Fields: fields}} }

func texts() smd.Atom {
	return smd.Atom{Map: &smd.Map{ElementType: smd.TypeRef{Inlined: scalar(smd.String)}}}
}

func listOf(items smd.Atom, relationship smd.ElementRelationship, keys ...string) smd.Atom {
	return smd.Atom{List: &smd.List{ElementType: smd.TypeRef{Inlined: items}, ElementRelationship: relationship, Keys: keys}}
}
