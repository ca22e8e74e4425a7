package definition

// goKind is the Go type of a field, as messages of the API name it.
type goKind string

const (
	goString  goKind = "string"
	goStrings goKind = "[]string"
	goBool    goKind = "bool"
	goInt32   goKind = "int32"
	goInt64   goKind = "int64"
	goTime    goKind = "time"
	goBytes   goKind = "[]uint8"
	goMeta    goKind = "v1.ObjectMeta"
	goSchema  goKind = "v1.JSONSchemaProps"

	goScope           goKind = "v1.ResourceScope"
	goStrategy        goKind = "v1.ConversionStrategyType"
	goConditionType   goKind = "v1.CustomResourceDefinitionConditionType"
	goConditionStatus goKind = "v1.ConditionStatus"
)

// field describes a field of a Go type of the API.
type field struct {
	kind  goKind // of a scalar; or
	of    string // the type of a structure, or of the items of a list
	list  bool
	keeps bool // whether an empty value is written out
	must  bool // whether an absent one is, too
}

func scalar(k goKind) field          { return field{kind: k} }
func pointer(k goKind) field         { return field{kind: k, keeps: true} }
func always(k goKind) field          { return field{kind: k, keeps: true, must: true} }
func structure(goType string) field  { return field{of: goType, keeps: true, must: true} }
func structures(goType string) field { return field{of: goType, list: true} }
func optional(goType string) field   { return field{of: goType, keeps: true} }

// fieldsOf gives the fields of a type in apiextensions.k8s.io/v1.
func fieldsOf(goType string) map[string]field {
	switch goType {
	case "CustomResourceDefinition":
		return map[string]field{
			"kind": scalar(goString), "apiVersion": scalar(goString), "metadata": always(goMeta),
			"spec": structure("CustomResourceDefinitionSpec"), "status": structure("CustomResourceDefinitionStatus"),
		}
	case "CustomResourceDefinitionSpec":
		return map[string]field{
			"group": always(goString), "names": structure("CustomResourceDefinitionNames"), "scope": always(goScope),
			"versions":              {of: "CustomResourceDefinitionVersion", list: true, keeps: true, must: true},
			"conversion":            optional("CustomResourceConversion"),
			"preserveUnknownFields": scalar(goBool),
		}
	case "CustomResourceDefinitionNames":
		return map[string]field{
			"plural": always(goString), "singular": scalar(goString), "shortNames": scalar(goStrings),
			"kind": always(goString), "listKind": scalar(goString), "categories": scalar(goStrings),
		}
	case "CustomResourceDefinitionVersion":
		return map[string]field{
			"name": always(goString), "served": always(goBool), "storage": always(goBool),
			"deprecated": scalar(goBool), "deprecationWarning": pointer(goString),
			"schema": optional("CustomResourceValidation"), "subresources": optional("CustomResourceSubresources"),
			"additionalPrinterColumns": structures("CustomResourceColumnDefinition"),
			"selectableFields":         structures("SelectableField"),
		}
	case "CustomResourceDefinitionStatus":
		return map[string]field{
			"conditions":    {of: "CustomResourceDefinitionCondition", list: true, keeps: true, must: true},
			"acceptedNames": structure("CustomResourceDefinitionNames"), "storedVersions": always(goStrings),
			"observedGeneration": scalar(goInt64),
		}
	}
	return smallFieldsOf(goType)
}

func smallFieldsOf(goType string) map[string]field {
	switch goType {
	case "CustomResourceValidation":
		return map[string]field{"openAPIV3Schema": pointer(goSchema)}
	case "CustomResourceSubresources":
		return map[string]field{"status": optional("CustomResourceSubresourceStatus"), "scale": optional("CustomResourceSubresourceScale")}
	case "CustomResourceSubresourceScale":
		return map[string]field{"specReplicasPath": always(goString), "statusReplicasPath": always(goString), "labelSelectorPath": pointer(goString)}
	case "CustomResourceColumnDefinition":
		return map[string]field{
			"name": always(goString), "type": always(goString), "format": scalar(goString),
			"description": scalar(goString), "priority": scalar(goInt32), "jsonPath": always(goString),
		}
	case "SelectableField":
		return map[string]field{"jsonPath": always(goString)}
	case "CustomResourceConversion":
		return map[string]field{"strategy": always(goStrategy), "webhook": optional("WebhookConversion")}
	case "WebhookConversion":
		return map[string]field{"clientConfig": optional("WebhookClientConfig"), "conversionReviewVersions": always(goStrings)}
	case "WebhookClientConfig":
		return map[string]field{"url": pointer(goString), "service": optional("ServiceReference"), "caBundle": scalar(goBytes)}
	case "ServiceReference":
		return map[string]field{"namespace": always(goString), "name": always(goString), "path": pointer(goString), "port": pointer(goInt32)}
	case "CustomResourceDefinitionCondition":
		return map[string]field{
			"type": always(goConditionType), "status": always(goConditionStatus), "lastTransitionTime": always(goTime),
			"reason": scalar(goString), "message": scalar(goString), "observedGeneration": scalar(goInt64),
		}
	}
	return nil
}
