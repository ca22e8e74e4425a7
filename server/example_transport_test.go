package server_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/server"
)

func ExampleTransport() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hello from %s", r.URL.Path)
	})
	client := &http.Client{Transport: server.Transport(handler)}
	res, err := client.Get("http://anything/somewhere")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	fmt.Println(res.Status, string(body))
	// Output: 200 OK hello from /somewhere
}

func ExampleParseTokens() {
	tokens, err := server.ParseTokens(strings.NewReader(`secret,jane,1001,"devs,admins"`))
	if err != nil {
		fmt.Println(err)
		return
	}
	authenticator, err := server.NewTokens(tokens...)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := &http.Request{Header: http.Header{"Authorization": {"Bearer secret"}}}
	user, ok, _ := authenticator.Authenticate(r)
	fmt.Println(user.Name, user.Groups, ok)
	// Output: jane [devs admins system:authenticated] true
}
