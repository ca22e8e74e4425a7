package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIdentityIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.pem")
	now := time.Now()
	hosts, err := certificateHosts("192.0.2.7:6443")
	require.NoError(t, err)

	first, err := loadIdentity(path, hosts, now)
	require.NoError(t, err)
	mode, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), mode.Mode())
	for _, host := range []string{"localhost", "127.0.0.1", "::1", "192.0.2.7"} {
		require.NoError(t, first.certificate.Leaf.VerifyHostname(host))
	}

	again, err := loadIdentity(path, hosts, now.Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, first.trusted, again.trusted, "it is used again")

	elsewhere, err := loadIdentity(path, append(hosts, "example.com"), now)
	require.NoError(t, err)
	require.NotEqual(t, first.trusted, elsewhere.trusted, "another host needs another one")

	later, err := loadIdentity(path, hosts, now.Add(certificateLife))
	require.NoError(t, err)
	require.NotEqual(t, elsewhere.trusted, later.trusted, "an old one is replaced")

	require.NoError(t, os.WriteFile(path, []byte("nonsense"), 0o600))
	_, err = loadIdentity(path, hosts, now)
	require.NoError(t, err, "a damaged one is replaced")
}
