package server

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// slots are the members of an object in JSON, as they stand, by the numbers of the fields of
// its message.
type slots [18][]byte

func slotsOf(raw []byte, number func(name []byte) int) (s slots) {
	for name, value := range rawMembers(raw) {
		s[number(name)] = value
	}
	return s
}

// appendPartialMessage appends the message of a PartialObjectMetadata from metadata as
// [object.AppendJSON] writes it, whatever is behind it. Members of the wrong type count as
// absent. The version is that of the object, if the metadata has none.
func appendPartialMessage(dst, metadata []byte, version string) []byte {
	return appendMessage(dst, 1, func(dst []byte) []byte { return appendObjectMeta(dst, metadata, version) })
}

// metaNumber is the number of a field of ObjectMeta; 0, as below, of one that it doesn't have.
func metaNumber(name []byte) int {
	switch string(name) {
	case "name":
		return 1
	case "generateName":
		return 2
	case "namespace":
		return 3
	case "selfLink":
		return 4
	case "uid":
		return 5
	case "resourceVersion":
		return 6
	case "generation":
		return 7
	case "creationTimestamp":
		return 8
	case "deletionTimestamp":
		return 9
	case "deletionGracePeriodSeconds":
		return 10
	case "labels":
		return 11
	case "annotations":
		return 12
	case "ownerReferences":
		return 13
	case "finalizers":
		return 14
	case "managedFields":
		return 17
	}
	return 0
}

func appendObjectMeta(dst, metadata []byte, version string) []byte {
	s := slotsOf(metadata, metaNumber)
	for number := protowire.Number(1); number <= 5; number++ {
		dst = appendTextField(dst, number, s[number])
	}
	if s[6] != nil {
		version = string(rawText(s[6]))
	}
	dst = appendStringField(dst, 6, version)
	generation, _ := rawInt(s[7])
	dst = appendIntField(dst, 7, generation)
	dst = appendTimeField(dst, 8, s[8])
	if len(rawText(s[9])) > 0 {
		dst = appendTimeField(dst, 9, s[9])
	}
	if n, ok := rawInt(s[10]); ok {
		dst = appendIntField(dst, 10, n)
	}
	dst = appendMapField(dst, 11, s[11])
	dst = appendMapField(dst, 12, s[12])
	for ref := range rawElements(s[13]) {
		dst = appendMessage(dst, 13, func(dst []byte) []byte { return appendOwnerReference(dst, ref) })
	}
	for name := range rawElements(s[14]) {
		dst = appendTextField(dst, 14, name)
	}
	for entry := range rawElements(s[17]) {
		dst = appendMessage(dst, 17, func(dst []byte) []byte { return appendManagedFields(dst, entry) })
	}
	return dst
}

func ownerNumber(name []byte) int {
	switch string(name) {
	case "kind":
		return 1
	case "name":
		return 3
	case "uid":
		return 4
	case "apiVersion":
		return 5
	case "controller":
		return 6
	case "blockOwnerDeletion":
		return 7
	}
	return 0
}

func appendOwnerReference(dst, ref []byte) []byte {
	s := slotsOf(ref, ownerNumber)
	for _, number := range [...]protowire.Number{1, 3, 4, 5} {
		dst = appendTextField(dst, number, s[number])
	}
	for _, number := range [...]protowire.Number{6, 7} {
		if b := string(s[number]); b == "true" || b == "false" {
			dst = appendBoolField(dst, number, b == "true")
		}
	}
	return dst
}

func managedNumber(name []byte) int {
	switch string(name) {
	case "manager":
		return 1
	case "operation":
		return 2
	case "apiVersion":
		return 3
	case "time":
		return 4
	case "fieldsType":
		return 6
	case "fieldsV1":
		return 7
	case "subresource":
		return 8
	}
	return 0
}

func appendManagedFields(dst, entry []byte) []byte {
	s := slotsOf(entry, managedNumber)
	for _, number := range [...]protowire.Number{1, 2, 3} {
		dst = appendTextField(dst, number, s[number])
	}
	if len(rawText(s[4])) > 0 {
		dst = appendTimeField(dst, 4, s[4])
	}
	dst = appendTextField(dst, 6, s[6])
	if fields := s[7]; fields != nil && string(fields) != "null" {
		dst = appendMessageHead(dst, 7, sizeMessage(len(fields)))
		dst = protowire.AppendBytes(protowire.AppendTag(dst, 1, protowire.BytesType), fields)
	}
	return appendTextField(dst, 8, s[8])
}

// appendTextField appends a text of JSON.
func appendTextField(dst []byte, field protowire.Number, raw []byte) []byte {
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	return protowire.AppendBytes(dst, rawText(raw))
}

// appendTimeField appends a time as the API has it in protobuf: whole seconds, or an
// empty message if there is none.
func appendTimeField(dst []byte, field protowire.Number, raw []byte) []byte {
	t, err := time.Parse(time.RFC3339, string(rawText(raw)))
	if err != nil || t.IsZero() {
		return appendMessageHead(dst, field, 0)
	}
	seconds := uint64(t.Unix())
	dst = appendMessageHead(dst, field, 1+protowire.SizeVarint(seconds)+2)
	dst = appendIntField(dst, 1, int64(seconds))
	return appendIntField(dst, 2, 0)
}

func appendMapField(dst []byte, field protowire.Number, raw []byte) []byte {
	for name, value := range rawMembers(raw) {
		text := rawText(value)
		dst = appendMessageHead(dst, field, 1+protowire.SizeBytes(len(name))+1+protowire.SizeBytes(len(text)))
		dst = protowire.AppendBytes(protowire.AppendTag(dst, 1, protowire.BytesType), name)
		dst = protowire.AppendBytes(protowire.AppendTag(dst, 2, protowire.BytesType), text)
	}
	return dst
}
