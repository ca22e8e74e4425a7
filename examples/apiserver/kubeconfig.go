package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// kubeconfig gives the file with which clients reach the server as its
// administrator. trusted is the certificate in PEM; none for plain HTTP.
func kubeconfig(url, token string, trusted []byte) []byte {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: Config\ncurrent-context: plinth\n")
	fmt.Fprintf(&b, "clusters:\n- name: plinth\n  cluster:\n    server: %q\n", url)
	if len(trusted) > 0 {
		fmt.Fprintf(&b, "    certificate-authority-data: %s\n", base64.StdEncoding.EncodeToString(trusted))
	}
	fmt.Fprintf(&b, "users:\n- name: admin\n  user:\n    token: %q\n", token)
	b.WriteString("contexts:\n- name: plinth\n  context: {cluster: plinth, user: admin, namespace: default}\n")
	return []byte(b.String())
}

// writePrivate puts a file in place, whole or not at all, that only its owner may read.
func writePrivate(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
