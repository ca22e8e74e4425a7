// Package apply changes documents the ways a PATCH can.
//
// Its nouns are [PatchType], the media type that says how a patch is meant, and
// [Change], a patch that has been read and can be applied to any number of documents.
// [Patch] does both at once.
//
// JSON Patch (RFC 6902) and merge patch (RFC 7386) need nothing but the two documents
// and are made here as the API makes them, with its departures from the letter of
// the RFCs, which the functions name. Patches that are driven by a schema have their
// place beside them.
//
// A document that is passed in is not changed, and a result shares nothing with it or
// with the patch. Failures are of type *[object.StatusError]: BadRequest for what
// is no patch, Invalid for a patch that does not fit the document. The package keeps
// and starts nothing.
package apply
