package server

import (
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Names that the API gives to users and groups of its own.
const (
	userAnonymous        = "system:anonymous"
	groupAuthenticated   = "system:authenticated"
	groupUnauthenticated = "system:unauthenticated"
	groupMasters         = "system:masters"
)

// anonymous is who makes a request that names nobody.
var anonymous = object.User{Name: userAnonymous, Groups: []string{groupUnauthenticated}}

// Token is a bearer token with the user who holds it.
type Token struct {
	Token string
	User  object.User
}

// Tokens is an [Authenticator] that knows a fixed set of bearer tokens. A request
// without one names nobody; one with a token that is not in the set is refused.
type Tokens struct {
	// users are kept by the digests of their tokens. To compare digests takes a
	// time that says nothing about how much of a token was right.
	users map[[sha256.Size]byte]object.User
}

// NewTokens makes an authenticator. Its users are members of system:authenticated,
// too. A token may be repeated, for the same user.
func NewTokens(tokens ...Token) (*Tokens, error) {
	t := &Tokens{users: make(map[[sha256.Size]byte]object.User, len(tokens))}
	for i, token := range tokens {
		digest := sha256.Sum256([]byte(token.Token))
		switch {
		case token.Token == "" || strings.ContainsAny(token.Token, " \t\r\n"):
			return nil, fmt.Errorf("token %d, of user %q, is empty or has white space in it", i+1, token.User.Name)
		case token.User.Name == "":
			return nil, fmt.Errorf("token %d has no user name", i+1)
		}
		user := token.User
		user.Groups = slices.Clone(user.Groups)
		if !user.In(groupAuthenticated) {
			user.Groups = append(user.Groups, groupAuthenticated)
		}
		if other, taken := t.users[digest]; taken && !reflect.DeepEqual(user, other) {
			return nil, fmt.Errorf("token %d, of user %q, is also that of another user, %q", i+1, user.Name, other.Name)
		}
		t.users[digest] = user
	}
	return t, nil
}

// Authenticate implements [Authenticator].
func (t *Tokens) Authenticate(r *http.Request) (user object.User, ok bool, err error) {
	token := bearerToken(r)
	if token == "" {
		return object.User{}, false, nil
	}
	user, ok = t.users[sha256.Sum256([]byte(token))]
	if !ok {
		return object.User{}, false, errors.New("invalid bearer token")
	}
	return user, true, nil
}

// bearerToken reads the Authorization header. The scheme is written in whatever
// case, exactly one blank is in front of the token, and what follows is ignored.
func bearerToken(r *http.Request) string {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	token, _, _ := strings.Cut(rest, " ")
	return token
}

// ParseTokens reads tokens from lines of comma-separated values: token, user name,
// uid and, in quotes if there are several, groups:
//
//	31ada4fd-adec-460c-809a-9e56ceb75269,jane,1001,"devs,admins"
//
// The groups may be missing; so may the uid with them. Empty lines and those that
// begin with # are passed over.
func ParseTokens(r io.Reader) ([]Token, error) {
	records := csv.NewReader(r)
	records.Comment = '#'
	records.FieldsPerRecord = -1
	records.TrimLeadingSpace = true
	var tokens []Token
	for {
		record, err := records.Read()
		if errors.Is(err, io.EOF) {
			return tokens, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading tokens: %w", err)
		}
		token, err := parseToken(record)
		if err != nil {
			line, _ := records.FieldPos(0)
			return nil, fmt.Errorf("reading tokens: line %d: %w", line, err)
		}
		tokens = append(tokens, token)
	}
}

func parseToken(record []string) (t Token, err error) {
	switch {
	case len(record) < 2 || len(record) > 4:
		return t, fmt.Errorf(`it has %d fields, want token,user,uid,"group,group"`, len(record))
	case record[0] == "":
		return t, errors.New("the token is empty")
	case record[1] == "":
		return t, errors.New("the user name is empty")
	}
	t = Token{Token: record[0], User: object.User{Name: record[1]}}
	if len(record) > 2 {
		t.User.UID = record[2]
	}
	if len(record) > 3 {
		for group := range strings.SplitSeq(record[3], ",") {
			if group = strings.TrimSpace(group); group != "" {
				t.User.Groups = append(t.User.Groups, group)
			}
		}
	}
	return t, nil
}
