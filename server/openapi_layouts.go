package server

import "google.golang.org/protobuf/encoding/protowire"

// This file says how the document of /openapi/v2 is a message, whose fields have the
// numbers that clients know.

// Numbers of fields of the whole document, which are made piece by piece.
const (
	swaggerPaths       protowire.Number = 8
	swaggerDefinitions protowire.Number = 9
)

// messageLayouts are the layouts by the names of their messages.
var messageLayouts = map[string]*messageLayout{
	"Document": {
		fields: []fieldLayout{
			{"swagger", textField, "", wirePath{1}},
			{"info", messageField, "Info", wirePath{2}},
		},
	},
	"Info": {
		fields: []fieldLayout{
			{"title", textField, "", wirePath{1}},
			{"version", textField, "", wirePath{2}},
		},
	},
	"Paths": {
		others: &fieldLayout{kind: messageField, message: "PathItem", path: wirePath{2, 2}},
	},
	"PathItem": {
		fields: []fieldLayout{
			{"get", messageField, "Operation", wirePath{2}},
			{"put", messageField, "Operation", wirePath{3}},
			{"post", messageField, "Operation", wirePath{4}},
			{"delete", messageField, "Operation", wirePath{5}},
			{"patch", messageField, "Operation", wirePath{8}},
			{"parameters", parametersField, "", wirePath{9}},
		},
	},
	"Operation": {
		fields: []fieldLayout{
			{"operationId", textField, "", wirePath{5}},
			{"produces", textField, "", wirePath{6}},
			{"consumes", textField, "", wirePath{7}},
			{"parameters", parametersField, "", wirePath{8}},
			{"responses", messageField, "Responses", wirePath{9}},
		},
		extensions: 13,
	},
	"BodyParameter": {
		fields: []fieldLayout{
			{"name", textField, "", wirePath{2}},
			{"in", textField, "", wirePath{3}},
			{"required", flagField, "", wirePath{4}},
			{"schema", messageField, "Schema", wirePath{5}},
		},
	},
	"PathParameter": {
		fields: []fieldLayout{
			{"required", flagField, "", wirePath{1}},
			{"in", textField, "", wirePath{2}},
			{"description", textField, "", wirePath{3}},
			{"name", textField, "", wirePath{4}},
			{"type", textField, "", wirePath{5}},
			{"uniqueItems", flagField, "", wirePath{19}},
		},
	},
	"QueryParameter": {
		fields: []fieldLayout{
			{"required", flagField, "", wirePath{1}},
			{"in", textField, "", wirePath{2}},
			{"description", textField, "", wirePath{3}},
			{"name", textField, "", wirePath{4}},
			{"type", textField, "", wirePath{6}},
			{"uniqueItems", flagField, "", wirePath{20}},
		},
	},
	"Responses": {
		others: &fieldLayout{kind: messageField, message: "Response", path: wirePath{1, 2, 1}},
	},
	"Response": {
		fields: []fieldLayout{
			{"description", textField, "", wirePath{1}},
			{"schema", messageField, "Schema", wirePath{2, 1}},
		},
	},
	"Schemas": {
		others: &fieldLayout{kind: messageField, message: "Schema", path: wirePath{1, 2}},
	},
	"Schema": {
		fields: []fieldLayout{
			{"$ref", textField, "", wirePath{1}},
			{"format", textField, "", wirePath{2}},
			{"title", textField, "", wirePath{3}},
			{"description", textField, "", wirePath{4}},
			{"default", valueField, "", wirePath{5}},
			{"multipleOf", numberField, "", wirePath{6}},
			{"maximum", numberField, "", wirePath{7}},
			{"exclusiveMaximum", flagField, "", wirePath{8}},
			{"minimum", numberField, "", wirePath{9}},
			{"exclusiveMinimum", flagField, "", wirePath{10}},
			{"maxLength", integerField, "", wirePath{11}},
			{"minLength", integerField, "", wirePath{12}},
			{"pattern", textField, "", wirePath{13}},
			{"maxItems", integerField, "", wirePath{14}},
			{"minItems", integerField, "", wirePath{15}},
			{"uniqueItems", flagField, "", wirePath{16}},
			{"maxProperties", integerField, "", wirePath{17}},
			{"minProperties", integerField, "", wirePath{18}},
			{"required", textField, "", wirePath{19}},
			{"enum", valuesField, "", wirePath{20}},
			{"additionalProperties", schemaOrFlag, "", wirePath{21}},
			{"type", textField, "", wirePath{22, 1}},
			{"items", messageField, "Schema", wirePath{23, 1}},
			{"allOf", messageField, "Schema", wirePath{24}},
			{"properties", messageField, "Schemas", wirePath{25}},
			{"externalDocs", messageField, "ExternalDocs", wirePath{29}},
			{"example", valueField, "", wirePath{30}},
		},
		extensions: 31,
	},
	"ExternalDocs": {
		fields: []fieldLayout{
			{"description", textField, "", wirePath{1}},
			{"url", textField, "", wirePath{2}},
		},
	},
}

// parameterPlaces say, by where a parameter stands in a request, what message it is.
var parameterPlaces = map[string]fieldLayout{
	"body":  {kind: messageField, message: "BodyParameter", path: wirePath{1, 1}},
	"query": {kind: messageField, message: "QueryParameter", path: wirePath{1, 2, 3}},
	"path":  {kind: messageField, message: "PathParameter", path: wirePath{1, 2, 4}},
}
