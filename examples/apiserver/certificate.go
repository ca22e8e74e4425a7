package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"time"
)

// certificateLife is how long a certificate that the server makes is valid.
const certificateLife = 365 * 24 * time.Hour

// identity is the certificate that a server shows, and what clients trust.
type identity struct {
	certificate tls.Certificate
	trusted     []byte // the certificate in PEM
}

// loadIdentity reads certificate and key from a file, and makes and writes new ones
// if there are none, or if they are out of date or for other hosts. Without a path they are not kept.
func loadIdentity(path string, hosts []string, now time.Time) (*identity, error) {
	if path != "" {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reading the certificate: %w", err)
		}
		if id, err := parseIdentity(data); err == nil && id.serves(hosts, now) {
			return id, nil
		}
	}
	data, err := newIdentity(hosts, now)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	if path != "" {
		if err := writePrivate(path, data); err != nil {
			return nil, fmt.Errorf("keeping the certificate: %w", err)
		}
	}
	return parseIdentity(data)
}

func parseIdentity(data []byte) (*identity, error) {
	certificate, err := tls.X509KeyPair(data, data)
	if err != nil {
		return nil, err
	}
	block := &pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}
	return &identity{certificate, pem.EncodeToMemory(block)}, nil
}

// serves says whether the certificate is valid and names all hosts.
func (id *identity) serves(hosts []string, now time.Time) bool {
	leaf := id.certificate.Leaf
	if now.Before(leaf.NotBefore) || now.After(leaf.NotAfter.Add(-24*time.Hour)) {
		return false
	}
	for _, host := range hosts {
		if leaf.VerifyHostname(host) != nil {
			return false
		}
	}
	return true
}

// newIdentity gives a self-signed certificate for the hosts and its key, in PEM.
func newIdentity(hosts []string, now time.Time) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "plinth apiserver"},
		NotBefore:             now.Add(-time.Hour), // clocks differ
		NotAfter:              now.Add(certificateLife),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true, // clients trust it as its own issuer
		MaxPathLenZero:        true,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: certificate}) // a buffer takes all
	_ = pem.Encode(&out, &pem.Block{Type: "PRIVATE KEY", Bytes: private})
	return out.Bytes(), nil
}

// certificateHosts are the names by which clients may reach a listening address.
func certificateHosts(listen string) ([]string, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	ip := net.ParseIP(host)
	switch {
	case host == "" || ip != nil && ip.IsUnspecified():
		return append(hosts, machineHosts()...), nil
	case ip != nil && ip.IsLoopback() && (host == "127.0.0.1" || host == "::1"), host == "localhost":
		return hosts, nil
	}
	return append(hosts, host), nil
}

// machineHosts are the name and the addresses of this machine.
func machineHosts() []string {
	var hosts []string
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	addresses, _ := net.InterfaceAddrs()
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok && !network.IP.IsLoopback() {
			hosts = append(hosts, network.IP.String())
		}
	}
	return hosts
}
