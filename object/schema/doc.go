// Package schema holds structural OpenAPI v3 schemas, as custom resources have them,
// and what the API does with objects of such a schema: default, prune, validate.
//
// A [Schema] is parsed once and immutable from then on; any number of goroutines
// may use it. Its nodes form a tree in which equal branches may be one and the same
// node: a node doesn't know its place, so no pointer may stand for a path. All that
// depends on the shape of a kind (validation, rules, the types of field ownership,
// the published documents) is derived from this one model.
//
// Objects are documents as [object.Object] describes them. [Schema.SetDefaults],
// [Schema.Prune], [Schema.PruneNulls] and [Schema.Coerce] edit them in place; nothing
// else changes or keeps a document.
package schema
