package server

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// converter is a webhook that turns spec.length of v1 into spec.size.km of v2, and back.
type converter struct {
	*httptest.Server
	mu      sync.Mutex
	batches []int        // objects of each request
	answer  http.Handler // in place of a conversion, if set
}

func newConverter(t *testing.T) *converter {
	c := &converter{}
	mux := http.NewServeMux() // which redirects whoever calls //convert, and knows no /convert/
	mux.HandleFunc("/convert", c.serve)
	c.Server = httptest.NewUnstartedServer(mux)
	c.Config.ErrorLog = log.New(io.Discard, "", 0)
	c.StartTLS()
	t.Cleanup(c.Close)
	return c
}

func (c *converter) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	answer := c.answer
	c.mu.Unlock()
	if answer != nil {
		answer.ServeHTTP(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	review, err := object.Decode(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request := review["request"].(map[string]any)
	objects := request["objects"].([]any)
	c.mu.Lock()
	c.batches = append(c.batches, len(objects))
	c.mu.Unlock()
	want := request["desiredAPIVersion"].(string)
	for _, v := range objects {
		o := v.(map[string]any)
		spec := o["spec"].(map[string]any)
		o["apiVersion"] = want
		if strings.HasSuffix(want, "/v2") {
			spec["size"] = map[string]any{"km": spec["length"]}
			delete(spec, "length")
		} else {
			spec["length"] = spec["size"].(map[string]any)["km"]
			delete(spec, "size")
		}
	}
	review["response"] = map[string]any{"uid": request["uid"], "convertedObjects": objects, "result": map[string]any{"status": "Success"}}
	delete(review, "request")
	_, _ = w.Write(object.AppendJSON(nil, review))
}

func (c *converter) answerWith(h http.HandlerFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = nil
	if h != nil {
		c.answer = h
	}
}

// asked gives the sizes of the batches since the last time.
func (c *converter) asked() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	batches := c.batches
	c.batches = nil
	return batches
}

func (c *converter) bundle() string {
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw}))
}

// roads are stored in v1 and converted by a webhook.
func roads(clientConfig string) string {
	const version = `{"name":%q,"served":true,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{%s}}}}}}`
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"roads.ex.org"},"spec":{
		"group":"ex.org","scope":"Cluster","names":{"plural":"roads","kind":"Road"},
		"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":` + clientConfig + `}},
		"versions":[` + fmt.Sprintf(version, "v1", true, `"length":{"type":"integer"}`) + `,` +
		fmt.Sprintf(version, "v2", false, `"size":{"type":"object","properties":{"km":{"type":"integer"}}}`) + `]}}`
}

const (
	definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	roadsV1         = "/apis/ex.org/v1/roads"
	roadsV2         = "/apis/ex.org/v2/roads"
)

// define creates a definition and waits until it is served.
func define(t testing.TB, s *Server, definition string) {
	t.Helper()
	w := requestOf(t, s, http.MethodPost, definitionsPath, definition)
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	o, err := object.Decode(w.Body.Bytes())
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		w := requestOf(t, s, http.MethodGet, definitionsPath+"/"+o.Name(), "")
		return strings.Contains(w.Body.String(), "InitialNamesAccepted")
	}, 5*time.Second, time.Millisecond)
}

// requestOf makes a request with a body in JSON; patches are merge patches.
func requestOf(t testing.TB, h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", typeJSON)
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func urlOf(c *converter) string {
	return fmt.Sprintf(`{"url":%q,"caBundle":%q}`, c.URL+"//convert/", c.bundle())
}

func road(version, name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"ex.org/%s","kind":"Road","metadata":{"name":%q},"spec":%s}`, version, name, spec)
}

func TestConversionByWebhook(t *testing.T) {
	c := newConverter(t)
	s := newWorldOf(t, Config{CustomResources: &CustomResources{}})
	define(t, s, roads(urlOf(c)))

	w := requestOf(t, s, http.MethodPost, roadsV1, road("v1", "a", `{"length":10}`))
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	require.Empty(t, c.asked(), "an object in the version of the store needs no conversion")
	require.Contains(t, requestOf(t, s, http.MethodGet, roadsV2+"/a", "").Body.String(), `"spec":{"size":{"km":10}}`)
	require.Equal(t, []int{1}, c.asked())

	w = requestOf(t, s, http.MethodPost, roadsV2, road("v2", "b", `{"size":{"km":20}}`))
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	require.Contains(t, w.Body.String(), `"spec":{"size":{"km":20}}`)
	require.Contains(t, requestOf(t, s, http.MethodGet, roadsV1+"/b", "").Body.String(), `"spec":{"length":20}`)
	w = requestOf(t, s, http.MethodPatch, roadsV2+"/a", `{"spec":{"size":{"km":11}}}`)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Contains(t, w.Body.String(), `"generation":2`)
	require.Contains(t, requestOf(t, s, http.MethodGet, roadsV1+"/a", "").Body.String(), `"spec":{"length":11}`)

	c.asked()
	list := requestOf(t, s, http.MethodGet, roadsV2, "").Body.String()
	require.Contains(t, list, `"spec":{"size":{"km":11}}`)
	require.Contains(t, list, `"spec":{"size":{"km":20}}`)
	require.Equal(t, []int{2}, c.asked(), "a list is converted at once")
	second := Target{Resource: object.GroupVersionResource{Group: "ex.org", Version: "v2", Resource: "roads"}}
	items, _, err := s.List(t.Context(), second, ListOptions{})
	require.NoError(t, err)
	require.Len(t, items, 2)
	require.Equal(t, map[string]any{"size": map[string]any{"km": int64(11)}}, items[0]["spec"])
	require.Equal(t, []int{2}, c.asked(), "for a program, too")
}

func TestConversionThatFails(t *testing.T) {
	c := newConverter(t)
	s := newWorldOf(t, Config{CustomResources: &CustomResources{}})
	define(t, s, roads(urlOf(c)))
	require.Equal(t, http.StatusCreated, requestOf(t, s, http.MethodPost, roadsV1, road("v1", "a", `{"length":10}`)).Code)

	const failed = "conversion webhook for ex.org/v1, Kind=Road failed: "
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"no": {func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			review, _ := object.Decode(body)
			uid, _ := review.Field("request", "uid")
			fmt.Fprintf(w, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":%q,"result":{"status":"Failed","message":"too long"}}}`, uid)
		}, failed + "too long"},
		"not for this request": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"x","result":{"status":"Success"}}}`)
		}, failed + "expected response.uid="},
		"failure": {func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "out of order", http.StatusInternalServerError)
		}, failed + `an error on the server ("out of order") has prevented the request from succeeding`},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, failed + "the server responded with the status code 307 but did not return more information"},
		"no document": {func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") }, failed + "couldn't get version/kind; json parse error: "},
		"too much": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(make([]byte, maxConversion+1))
		}, failed + "the answer has more than "},
	} {
		t.Run(name, func(t *testing.T) {
			c.answerWith(tc.answer)
			defer c.answerWith(nil)
			for _, path := range []string{roadsV2 + "/a", roadsV2} {
				w := requestOf(t, s, http.MethodGet, path, "")
				require.Equal(t, http.StatusInternalServerError, w.Code, w.Body)
				status, err := object.Decode(w.Body.Bytes())
				require.NoError(t, err)
				require.Contains(t, status["message"], tc.want)
			}
		})
	}
	require.Equal(t, http.StatusOK, requestOf(t, s, http.MethodGet, roadsV2+"/a", "").Code, "the next request is asked anew")

	c.answerWith(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	require.Equal(t, http.StatusOK, requestOf(t, s, http.MethodDelete, definitionsPath+"/roads.ex.org", "").Code)
	require.Eventually(t, func() bool {
		return requestOf(t, s, http.MethodGet, definitionsPath+"/roads.ex.org", "").Code == http.StatusNotFound
	}, 5*time.Second, time.Millisecond, "objects are deleted in the version in which they are stored")
}

func TestConversionByService(t *testing.T) {
	c := newConverter(t)
	service := func(_ context.Context, namespace, name string, port int32) (string, error) {
		if namespace != "infra" || name != "example" || port != 443 {
			return "", fmt.Errorf("there is no service %s/%s:%d", namespace, name, port)
		}
		return c.Listener.Addr().String(), nil
	}
	s := newWorldOf(t, Config{CustomResources: &CustomResources{}, Service: service})
	define(t, s, roads(fmt.Sprintf(`{"service":{"namespace":"infra","name":"other"},"caBundle":%q}`, c.bundle())))
	require.Equal(t, http.StatusCreated, requestOf(t, s, http.MethodPost, roadsV1, road("v1", "a", `{"length":10}`)).Code)
	w := requestOf(t, s, http.MethodGet, roadsV2+"/a", "")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Contains(t, w.Body.String(), "there is no service infra/other:443")

	w = requestOf(t, s, http.MethodPatch, definitionsPath+"/roads.ex.org", `{"spec":{"conversion":{"webhook":{"clientConfig":{"service":{"name":"example"}}}}}}`)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Eventually(t, func() bool {
		w := requestOf(t, s, http.MethodGet, roadsV2+"/a", "")
		// The certificate of the test is for example.com.
		return strings.Contains(w.Body.String(), "not example.infra.svc")
	}, 5*time.Second, time.Millisecond, "the address is that of the service, the name in the certificate its own")
}
