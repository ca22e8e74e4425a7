// Package apply changes documents the ways a PATCH can, and keeps account of who owns
// which of their fields.
//
// Its nouns are [PatchType], the media type that says how a patch is meant, [Change],
// a patch that has been read and can be applied to any number of documents, and
// [Merger], which merges what several writers want of the objects of a kind.
//
// JSON Patch (RFC 6902) and merge patch (RFC 7386) need nothing but the two documents
// and are made here as the API makes them, with its departures from the letter of
// the RFCs, which the functions name. [Strategic] merge patches need a schema as well.
//
// [Merger.Apply] is server-side apply: an object and a configuration in, the merged object and
// its owners out. [Merger.Track] accounts in managedFields for every other write.
// How lists and maps merge follows from a schema, by way of [Type].
//
// A document that is passed in is not changed (but for managedFields by Track, which
// says so), and a result shares nothing with it or
// with the patch. Failures of patches are of type *[object.StatusError]: BadRequest for what
// is no patch, Invalid for a patch that does not fit the document. The package keeps
// and starts nothing.
package apply
