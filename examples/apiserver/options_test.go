package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseOptions(t *testing.T) {
	tests := map[string]struct {
		args  []string
		check func(t *testing.T, o *options)
		err   string
	}{
		"defaults": {check: func(t *testing.T, o *options) {
			require.Equal(t, "127.0.0.1:6443", o.listen)
			require.Equal(t, "plinth.db", o.data)
			require.Equal(t, "plinth.kubeconfig", o.kubeconfig)
			require.Len(t, o.token, 26)
			require.False(t, o.givenToken)
		}},
		"files beside the data": {args: []string{"--data", "/var/lib/p.db"}, check: func(t *testing.T, o *options) {
			require.Equal(t, "/var/lib/p.kubeconfig", o.kubeconfig)
			require.Equal(t, "/var/lib/p.pem", o.beside(".pem"))
		}},
		"in memory": {args: []string{"--data", "memory"}, check: func(t *testing.T, o *options) {
			require.Equal(t, "plinth.kubeconfig", o.kubeconfig)
		}},
		"resources as the argument": {args: []string{"--token", "t", "types.yaml"}, check: func(t *testing.T, o *options) {
			require.Equal(t, "types.yaml", o.resources)
			require.True(t, o.givenToken)
		}},
		"two files of resources":    {args: []string{"a", "b"}, err: "more than one file of resources: a b"},
		"plain at loopback":         {args: []string{"--http", "--listen", "[::1]:0"}},
		"plain at localhost":        {args: []string{"--http", "--listen", "localhost:0"}},
		"plain at another address":  {args: []string{"--http", "--listen", "0.0.0.0:80"}, err: `--http serves at loopback addresses only, since tokens travel in the clear; "0.0.0.0" is none`},
		"plain at every address":    {args: []string{"--http", "--listen", ":80"}, err: `--http serves at loopback addresses only, since tokens travel in the clear; "" is none`},
		"plain at a name elsewhere": {args: []string{"--http", "--listen", "example.com:80"}, err: `--http serves at loopback addresses only, since tokens travel in the clear; "example.com" is none`},
		"empty data":                {args: []string{"--data", ""}, err: "--data is empty"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o, err := parseOptions(tc.args, io.Discard)
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			if tc.check != nil {
				tc.check(t, o)
			}
		})
	}
}

func TestTokenFileMayRepeatTheAdministrator(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	tests := map[string]struct{ line, err string }{
		"the administrator": {line: `admin-token,admin,admin,"system:masters"`},
		"another user":      {line: `admin-token,jane,7`, err: `token 2, of user "jane", is also that of another user, "admin"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, []byte(tc.line), 0o600))
			_, err := authenticator(&options{token: "admin-token", tokenFile: path})
			if tc.err == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.err)
		})
	}
}
