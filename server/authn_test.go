package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestTokensAreReadFromLines(t *testing.T) {
	tokens, err := ParseTokens(strings.NewReader("# who\n\nabc,jane,1001,\"devs, admins\"\ndef,joe,,system:masters\nghi,jim\n"))
	require.NoError(t, err)
	require.Equal(t, []Token{
		{"abc", object.User{Name: "jane", UID: "1001", Groups: []string{"devs", "admins"}}},
		{"def", object.User{Name: "joe", Groups: []string{"system:masters"}}},
		{"ghi", object.User{Name: "jim"}},
	}, tokens)
}

func TestMalformedTokensAreNamed(t *testing.T) {
	for _, test := range []struct{ name, lines, err string }{
		{"too few fields", "a,b\nabc\n", `reading tokens: line 2: it has 1 fields, want token,user,uid,"group,group"`},
		{"too many fields", "a,b,c,d,e", `line 1: it has 5 fields`},
		{"no token", "\n,jane", "line 2: the token is empty"},
		{"no user", "a,,1", "line 1: the user name is empty"},
		{"quotes", "a,\"b", "reading tokens: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseTokens(strings.NewReader(test.lines))
			require.ErrorContains(t, err, test.err)
		})
	}
}

func TestTokensMustBeUsable(t *testing.T) {
	jane := object.User{Name: "jane"}
	for want, tokens := range map[string][]Token{
		"is empty or has white space in it": {{"a b", jane}},
		"has no user name":                  {{"a", object.User{}}},
		"is also that of another user":      {{"a", jane}, {"a", object.User{Name: jane.Name, UID: "7"}}},
	} {
		_, err := NewTokens(tokens...)
		require.ErrorContains(t, err, want)
	}
}

func TestBearerTokens(t *testing.T) {
	groups := []string{"devs"}
	tokens, err := NewTokens(Token{"secret", object.User{Name: "jane", UID: "7", Groups: groups}})
	require.NoError(t, err)
	jane := object.User{Name: "jane", UID: "7", Groups: []string{"devs", "system:authenticated"}}
	for _, test := range []struct {
		name, header string
		ok, fails    bool
	}{
		{name: "good", header: "Bearer secret", ok: true},
		{name: "scheme in other letters", header: "bEARER secret", ok: true},
		{name: "token and more", header: "Bearer secret again", ok: true},
		{name: "wrong", header: "Bearer nonsense", fails: true},
		{name: "longer", header: "Bearer secrets", fails: true},
		{name: "none"},
		{name: "empty", header: "Bearer "},
		{name: "two blanks", header: "Bearer  secret"},
		{name: "another scheme", header: "Basic c2VjcmV0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			user, ok, err := tokens.Authenticate(&http.Request{Header: http.Header{"Authorization": {test.header}}})
			require.Equal(t, test.fails, err != nil)
			require.Equal(t, test.ok, ok)
			if ok {
				require.Equal(t, jane, user)
			}
		})
	}
	require.Equal(t, []string{"devs"}, groups)
}

func FuzzParseTokens(f *testing.F) {
	f.Add("abc,jane,1001,\"devs,admins\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		tokens, err := ParseTokens(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, token := range tokens {
			require.NotEmpty(t, token.Token)
			require.NotEmpty(t, token.User.Name)
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	tokens, err := NewTokens(Token{"31ada4fd-adec-460c-809a-9e56ceb75269", object.User{Name: "jane"}})
	require.NoError(b, err)
	r := &http.Request{Header: http.Header{"Authorization": {"Bearer 31ada4fd-adec-460c-809a-9e56ceb75269"}}}
	b.ReportAllocs()
	for b.Loop() {
		_, _, _ = tokens.Authenticate(r)
	}
}
