package expr

import (
	"fmt"
	"net/url"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

var urlType = cel.ObjectType("kubernetes.URL")

var urlKind = &kind[*url.URL]{
	celType: urlType,
	equal:   func(a, b *url.URL) bool { return a.String() == b.String() },
}

// urls are the functions on URLs: absolute URIs and absolute paths.
func urls() []function {
	part := func(name, id string, get func(*url.URL) string) function {
		return fn(name, cel.MemberOverload(id, args(urlType), cel.StringType,
			unary(unwrap, func(u *url.URL) ref.Val { return types.String(get(u)) })))
	}
	return []function{
		fn("url", cel.Overload("string_to_url", args(cel.StringType), urlType, parsed(urlKind, parseURL))),
		fn("isURL", cel.Overload("is_url_string", args(cel.StringType), cel.BoolType, isValid(url.ParseRequestURI))),
		part("getScheme", "url_get_scheme", func(u *url.URL) string { return u.Scheme }),
		part("getHost", "url_get_host", func(u *url.URL) string { return u.Host }),
		part("getHostname", "url_get_hostname", (*url.URL).Hostname),
		part("getPort", "url_get_port", (*url.URL).Port),
		part("getEscapedPath", "url_get_escaped_path", (*url.URL).EscapedPath),
		fn("getQuery", cel.MemberOverload("url_get_query", args(urlType), cel.MapType(cel.StringType, cel.ListType(cel.StringType)),
			unary(unwrap, urlQuery))),
	}
}

// parseURL checks as strictly as ParseRequestURI and knows fragments, as Parse does.
func parseURL(s string) (*url.URL, error) {
	_, err := url.ParseRequestURI(s)
	if err != nil {
		return nil, fmt.Errorf("URL parse error during conversion from string: %w", err)
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("URL parse error during conversion from string: %w", err)
	}
	return u, nil
}

func urlQuery(u *url.URL) ref.Val {
	query := map[ref.Val]ref.Val{}
	for name, values := range u.Query() {
		query[types.String(name)] = types.NewStringList(types.DefaultTypeAdapter, values)
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, query)
}
