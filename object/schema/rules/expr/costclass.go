package expr

import "strings"

// costClass is the way in which the cost of a call depends on its arguments.
type costClass int

const (
	byCEL       costClass = iota // what CEL itself says
	constant                     // nothing to speak of
	accessCheck                  // a question to an authorizer
	selector                     // the parsing of a selector
	everyItem                    // a look at every item of a list
	oneScan                      // one pass through a text, the result is as long
	parsing                      // one pass through a text, the result is of constant size
	twoScans                     // two passes through a text
	joining                      // the making of a text out of a list
	matching                     // a regular expression
	containing                   // the comparison with a network
	formatting                   // the check of a named format
	equality                     // ==
	extension                    // functions of CEL's extension libraries that bring their costs
)

// costClasses go by the names of functions, since the same name means the same in all types.
var costClasses = map[string]costClass{
	"check":         accessCheck,
	"fieldSelector": selector, "labelSelector": selector,
	"serviceAccount": constant, "path": constant, "group": constant, "resource": constant, "subresource": constant,
	"namespace": constant, "name": constant, "allowed": constant, "reason": constant, "error": constant, "errored": constant,

	"isSorted": everyItem, "sum": everyItem, "max": everyItem, "min": everyItem,
	"indexOf": everyItem, "lastIndexOf": everyItem,

	"url": oneScan, "lowerAscii": oneScan, "upperAscii": oneScan, "substring": oneScan, "trim": oneScan, "jsonpatch.escapeKey": oneScan,
	"replace": twoScans, "split": twoScans, "ip.isCanonical": twoScans,
	"join": joining,
	"find": matching, "findAll": matching,
	"cidr": parsing, "isIP": parsing, "isCIDR": parsing, "ip": parsing,
	"quantity": parsing, "isQuantity": parsing, "semver": parsing, "isSemver": parsing,
	"containsIP": containing, "containsCIDR": containing,
	"validate": formatting, "format.named": constant,

	"masked": constant, "prefixLength": constant, "family": constant, "isUnspecified": constant, "isLoopback": constant,
	"isLinkLocalMulticast": constant, "isLinkLocalUnicast": constant, "isGlobalUnicast": constant,
	"sign": constant, "asInteger": constant, "isInteger": constant, "asApproximateFloat": constant, "isGreaterThan": constant,
	"isLessThan": constant, "compareTo": constant, "add": constant, "sub": constant, "major": constant, "minor": constant, "patch": constant,
	"getScheme": constant, "getHostname": constant, "getHost": constant, "getPort": constant, "getEscapedPath": constant, "getQuery": constant,

	"_==_":  equality,
	"slice": extension, "flatten": extension, "lists.range": extension, "reverse": extension, "distinct": extension,
	"sort": extension, "@sortByAssociatedKeys": extension,
	"sets.contains": extension, "sets.intersects": extension, "sets.equivalent": extension,
}

func costOf(function, overload string) costClass {
	if overload == "cidr_ip" {
		return constant
	}
	return costClasses[strings.TrimPrefix(function, ".")]
}
