package storage

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// token is what a continue token says: where a list goes on and in which state
// of the store. Start is the first key to come, without the prefix of the
// collection. A negative Version stands for the newest state, a list that is not consistent.
// Clients take it as opaque; its form is that of the API's servers.
type token struct {
	Format  string `json:"v"`
	Version int64  `json:"rv"`
	Start   string `json:"start"`
}

const tokenFormat = "meta.k8s.io/v1"

func (t token) String() string {
	t.Format = tokenFormat
	data, _ := json.Marshal(t)
	return base64.RawURLEncoding.EncodeToString(data)
}

// nextToken says to go on behind the last key of a page.
func nextToken(prefix, last string, version object.ResourceVersion) string {
	return token{Version: int64(version), Start: strings.TrimPrefix(last, prefix) + "\x00"}.String()
}

// parseToken reads a continue token; errors are worded as the API words them.
func parseToken(text string) (token, error) {
	t, err := decodeToken(text)
	if err != nil {
		return token{}, object.BadRequest("invalid continue token: continue key is not valid: %v", err)
	}
	return t, nil
}

func decodeToken(text string) (t token, err error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return token{}, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return token{}, err
	}
	switch {
	case t.Format != tokenFormat:
		return token{}, fmt.Errorf("server does not recognize this encoded version %s", t.Format)
	case t.Version == 0:
		return token{}, errors.New("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.Start == "":
		return token{}, errors.New("encoded start key empty (version meta.k8s.io/v1)")
	}
	// A start that climbs out of its collection would show what the client may not see.
	rooted := t.Start
	if !strings.HasPrefix(rooted, "/") {
		rooted = "/" + rooted
	}
	if path.Clean(rooted) != rooted {
		return token{}, errors.New(t.Start)
	}
	t.Start = rooted[1:]
	return t, nil
}
