// Package expr is the language of expressions in the API: CEL with the functions
// that Kubernetes adds, their costs and their limits.
//
// A [Language] holds all that expressions share. A [Scope] names the variables of an
// expression and their types. An expression is [Checked] first, which says what type
// it has and what it may cost, and made a [Program] where it is to be run. A Checked
// holds the syntax tree and can be dropped then; a Program takes some kilobytes.
//
// Expressions that change objects construct values in a [Language.MutationScope], which
// [Configuration] and [PatchOperations] turn into documents.
//
// The functions are those of version 1.37 of the API. Texts of errors are part of it.
package expr
