package expr

import (
	"fmt"
	"net/netip"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

var (
	ipType   = cel.OpaqueType("net.IP")
	cidrType = cel.OpaqueType("net.CIDR")
)

var ipKind = &kind[netip.Addr]{
	celType: ipType,
	equal:   func(a, b netip.Addr) bool { return a == b },
	text:    netip.Addr.String,
	size:    func(a netip.Addr) int { return a.BitLen() / 8 },
}

var cidrKind = &kind[netip.Prefix]{
	celType: cidrType,
	equal:   func(a, b netip.Prefix) bool { return a == b },
	text:    netip.Prefix.String,
	size:    func(p netip.Prefix) int { return (p.Bits() + 7) / 8 },
}

// addresses are the functions on IP addresses.
func addresses() []function {
	is := func(name, id string, test func(netip.Addr) bool) function {
		return fn(name, cel.MemberOverload(id, args(ipType), cel.BoolType,
			unary(unwrap, func(a netip.Addr) ref.Val { return types.Bool(test(a)) })))
	}
	return []function{
		fn("ip", cel.Overload("string_to_ip", args(cel.StringType), ipType, parsed(ipKind, parseIP))),
		fn("isIP", cel.Overload("is_ip", args(cel.StringType), cel.BoolType, isValid(parseIP))),
		fn("ip.isCanonical", cel.Overload("ip_is_canonical", args(cel.StringType), cel.BoolType, unary(text, isCanonicalIP))),
		fn("string", cel.Overload("ip_to_string", args(ipType), cel.StringType,
			unary(unwrap, func(a netip.Addr) ref.Val { return types.String(a.String()) }))),
		fn("family", cel.MemberOverload("ip_family", args(ipType), cel.IntType, unary(unwrap, family))),
		is("isUnspecified", "ip_is_unspecified", netip.Addr.IsUnspecified),
		is("isLoopback", "ip_is_loopback", netip.Addr.IsLoopback),
		is("isLinkLocalMulticast", "ip_is_link_local_multicast", netip.Addr.IsLinkLocalMulticast),
		is("isLinkLocalUnicast", "ip_is_link_local_unicast", netip.Addr.IsLinkLocalUnicast),
		is("isGlobalUnicast", "ip_is_global_unicast", netip.Addr.IsGlobalUnicast),
	}
}

// networks are the functions on networks in CIDR notation.
func networks() []function {
	return []function{
		fn("cidr", cel.Overload("string_to_cidr", args(cel.StringType), cidrType, parsed(cidrKind, parseCIDR))),
		fn("isCIDR", cel.Overload("is_cidr", args(cel.StringType), cel.BoolType, isValid(parseCIDR))),
		fn("string", cel.Overload("cidr_to_string", args(cidrType), cel.StringType,
			unary(unwrap, func(p netip.Prefix) ref.Val { return types.String(p.String()) }))),
		fn("containsIP",
			cel.MemberOverload("cidr_contains_ip_string", args(cidrType, cel.StringType), cel.BoolType, binary(unwrap, text, containsIPText)),
			cel.MemberOverload("cidr_contains_ip_ip", args(cidrType, ipType), cel.BoolType, binary(unwrap, unwrap, containsIP))),
		fn("containsCIDR",
			cel.MemberOverload("cidr_contains_cidr_string", args(cidrType, cel.StringType), cel.BoolType, binary(unwrap, text, containsCIDRText)),
			cel.MemberOverload("cidr_contains_cidr", args(cidrType, cidrType), cel.BoolType, binary(unwrap, unwrap, containsCIDR))),
		fn("ip", cel.MemberOverload("cidr_ip", args(cidrType), ipType,
			unary(unwrap, func(p netip.Prefix) ref.Val { return ipKind.val(p.Addr()) }))),
		fn("prefixLength", cel.MemberOverload("cidr_prefix_length", args(cidrType), cel.IntType,
			unary(unwrap, func(p netip.Prefix) ref.Val { return types.Int(p.Bits()) }))),
		fn("masked", cel.MemberOverload("cidr_masked", args(cidrType), cidrType,
			unary(unwrap, func(p netip.Prefix) ref.Val { return cidrKind.val(p.Masked()) }))),
	}
}

// parseIP takes neither zones nor IPv4 addresses in the clothes of IPv6.
func parseIP(s string) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return a, fmt.Errorf("IP Address %q parse error during conversion from string: %w", s, err)
	case a.Zone() != "":
		return a, fmt.Errorf("IP address %q with zone value is not allowed", s)
	case a.Is4In6():
		return a, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return a, nil
}

func isCanonicalIP(s string) ref.Val {
	a, err := parseIP(s)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Bool(a.String() == s)
}

func family(a netip.Addr) ref.Val {
	if a.Is4() {
		return types.Int(4)
	}
	return types.Int(6)
}

// parseCIDR says twice what it was doing, as the API does.
func parseCIDR(s string) (netip.Prefix, error) {
	const doing = "network address parse error during conversion from string: "
	p, err := netip.ParsePrefix(s)
	switch {
	case err != nil:
		return p, fmt.Errorf(doing+doing+"%w", err)
	case p.Addr().Is4In6():
		return p, fmt.Errorf(doing+"IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return p, nil
}

func containsIP(p netip.Prefix, a netip.Addr) ref.Val { return types.Bool(p.Contains(a)) }

// containsIPText doesn't say what is wrong with the address, as the API doesn't.
func containsIPText(p netip.Prefix, s string) ref.Val {
	a, err := parseIP(s)
	if err != nil {
		return types.NoSuchOverloadErr()
	}
	return containsIP(p, a)
}

func containsCIDR(p, q netip.Prefix) ref.Val {
	return types.Bool(p.Overlaps(q) && p.Bits() <= q.Bits())
}

func containsCIDRText(p netip.Prefix, s string) ref.Val {
	q, err := parseCIDR(s)
	if err != nil {
		return types.WrapErr(err)
	}
	return containsCIDR(p, q)
}
