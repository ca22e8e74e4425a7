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
// No function changes a document that it is given, but for managedFields of the new one,
// which Merger.Track sets. What [Patch], [Change.Apply] and [Strategic.Apply] give shares
// nothing with the document or the patch. Merger.Apply gives either a new object that
// shares nothing, or the live one itself if nothing changes. Owners whose fields stay what
// they were are shared: by Merger.Track with the live object, by [Scale] with the
// object and the scale.
//
// [Parse], Patch and Change.Apply fail with an *[object.StatusError]: BadRequest for what
// is no patch, Invalid for one that does not fit the document, and two more reasons that
// Parse names. Strategic.Apply and the methods of Merger and Scale also have failures
// without a reason, which they name. The package starts nothing, and keeps nothing
// but what a Type derived from its schema.
package apply
