package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func request(accept string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/api/v1/namespaces/x/configmaps/a", nil)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	return r
}

const literally = "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf"
const only = "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"

func TestAcceptHeadersChooseTheForm(t *testing.T) {
	for _, test := range []struct {
		name, accept string
		want         form
		err          string
	}{
		{name: "nothing means JSON", accept: ""},
		{name: "JSON", accept: "application/json"},
		{name: "the first of equals", accept: "application/yaml, application/json", want: form{media: mediaYAML}},
		{name: "quality decides", accept: "application/json;q=0.2, application/yaml;q=0.9", want: form{media: mediaYAML}},
		{name: "quality zero refuses nothing", accept: "application/json;q=0, application/yaml;q=0"},
		{name: "wildcard with less quality", accept: "*/*;q=0.1, application/yaml;q=0.5", want: form{media: mediaYAML}},
		{name: "unknown types, then a wildcard", accept: "text/html, image/*, */*"},
		{name: "wildcard in front", accept: "*/json", err: literally},
		{name: "half a wildcard is not known literally", accept: "application/*", err: literally},
		{name: "upper case is not known", accept: "APPLICATION/JSON", err: literally},
		{name: "charset is ignored", accept: "application/json; charset=utf-8"},
		{name: "unknown parameter is ignored", accept: "application/json;profile=x"},
		{name: "pretty parameter", accept: "application/json;pretty=1", want: form{pretty: true}},
		{name: "malformed quality counts as zero", accept: "application/json;q=much"},
		{name: "only commas", accept: ",,", err: literally},
		{name: "no slash", accept: "json", err: literally},
		{name: "protobuf", accept: "application/vnd.kubernetes.protobuf", want: form{media: mediaProtobuf}},
		{name: "protobuf preferred", accept: "application/vnd.kubernetes.protobuf,application/json", want: form{media: mediaProtobuf}},
		{name: "unknown encoding or JSON", accept: "application/cbor,application/json;q=0.9"},
		{name: "Table", accept: "application/json;as=Table;g=meta.k8s.io;v=v1", want: form{as: asTable}},
		{name: "older Table", accept: "application/json;as=Table;g=meta.k8s.io;v=v1beta1", want: form{as: asTable, beta: true}},
		{name: "partial objects in protobuf", accept: "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", want: form{media: mediaProtobuf, as: asPartial}},
		{name: "partial list", accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", want: form{as: asPartialList}},
		{name: "no Table in protobuf", accept: "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1", err: only},
		{name: "unknown version", accept: "application/json;as=Table;g=meta.k8s.io;v=v2", err: only},
		{name: "unknown group", accept: "application/json;as=Table;g=example.com;v=v1", err: only},
		{name: "without group", accept: "application/json;as=Table;v=v1", err: only},
		{name: "without as", accept: "application/json;g=meta.k8s.io;v=v1", err: only},
		{name: "second choice", accept: "application/json;as=Table;g=meta.k8s.io;v=v7,application/json;as=Table;g=meta.k8s.io;v=v1,application/json", want: form{as: asTable}},
		{name: "falls back to the object", accept: "application/json;as=Frob;g=meta.k8s.io;v=v1,application/json"},
		{name: "a stream parameter is allowed", accept: "application/json;stream=watch"},
		{name: "YAML has no streams", accept: "application/yaml;stream=watch", err: only},
		{name: "unknown stream", accept: "application/json;stream=other", err: only},
	} {
		t.Run(test.name, func(t *testing.T) {
			var n negotiator
			for range 2 { // the second one is remembered
				got, err := n.form(request(test.accept), offerProtobuf)
				if test.err != "" {
					require.EqualError(t, err, test.err)
					require.ErrorIs(t, err, object.ErrNotAcceptable)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, test.want, got)
			}
		})
	}
}

func TestKindsWithoutCodecOfferNoProtobuf(t *testing.T) {
	var n negotiator
	_, err := n.form(request("application/vnd.kubernetes.protobuf"), 0)
	require.EqualError(t, err, only)

	f, err := n.form(request("application/vnd.kubernetes.protobuf,application/json"), 0)
	require.NoError(t, err)
	require.Equal(t, form{}, f)

	f, err = n.form(request("application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"), 0)
	require.NoError(t, err)
	require.Equal(t, form{media: mediaProtobuf, as: asPartial}, f)

	f, err = n.form(request("application/*"), 0)
	require.NoError(t, err)
	require.Equal(t, form{}, f)
}

func TestListsNameTheirWatchesWhenRefused(t *testing.T) {
	var n negotiator
	_, err := n.form(request("text/plain"), offerProtobuf|offerWatch)
	require.EqualError(t, err, literally+", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch")
	status := object.AsStatus(err)
	require.Equal(t, 406, status.Code)
	require.NotNil(t, status.Details)
}

func TestWatchesHaveNoYAML(t *testing.T) {
	require.NoError(t, form{}.checkWatch())
	require.EqualError(t, form{media: mediaYAML}.checkWatch(),
		"only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch")
	require.Equal(t, "application/json", mediaJSON.watchType())
	require.Equal(t, "application/vnd.kubernetes.protobuf;stream=watch", mediaProtobuf.watchType())
}

func TestTransformsThatDoNotFit(t *testing.T) {
	s := &served{typeName: "*core.ConfigMap"}
	require.NoError(t, form{as: asPartial}.checkSingle(s))
	require.NoError(t, form{as: asPartialList}.checkList(s))
	require.EqualError(t, form{as: asPartialList}.checkSingle(s), "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)")
	require.EqualError(t, form{as: asPartial}.checkList(s), "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)")
}

func TestFailuresAreAlwaysAnswered(t *testing.T) {
	var n negotiator
	require.Equal(t, form{pretty: true}, n.statusForm(request("text/plain")))
	require.Equal(t, form{media: mediaYAML}, n.statusForm(request("application/yaml")))
	require.Equal(t, form{media: mediaProtobuf}, n.statusForm(request("application/vnd.kubernetes.protobuf")))
	require.Equal(t, form{}, n.statusForm(request("application/json;as=Table;g=meta.k8s.io;v=v1,application/json")))
}

func TestPrettyIsForPeople(t *testing.T) {
	for _, test := range []struct {
		name, query, agent string
		want               bool
	}{
		{"not by itself", "", "kubectl/v1", false},
		{"asked for", "?pretty=true", "", true},
		{"asked for with 1", "?a=b&pretty=1", "", true},
		{"refused by a browser", "?pretty=false", "Mozilla/5.0 (X11)", false},
		{"browser", "", "Mozilla/5.0 (X11)", true},
		{"curl", "", "curl/8.0", true},
		{"nonsense", "?pretty=maybe", "curl/8.0", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/api"+test.query, nil)
			r.Header.Set("User-Agent", test.agent)
			f, err := new(negotiator).form(r, 0)
			require.NoError(t, err)
			require.Equal(t, test.want, f.pretty)
		})
	}
}

func TestContentTypesOfBodies(t *testing.T) {
	for contentType, want := range map[string]mediaType{
		"":                                    mediaJSON,
		"application/json":                    mediaJSON,
		"Application/JSON":                    mediaJSON,
		"application/json; charset=latin1":    mediaJSON,
		"application/yaml":                    mediaYAML,
		"application/vnd.kubernetes.protobuf": mediaProtobuf,
	} {
		got, err := bodyType(contentType)
		require.NoError(t, err, contentType)
		require.Equal(t, want, got, contentType)
	}
	for _, contentType := range []string{"text/plain", "application/json; charset", "application/vnd.example+json", "application/cbor", "*/*"} {
		_, err := bodyType(contentType)
		require.EqualError(t, err, "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf")
	}
}

func TestTheMemoryOfHeadersIsBounded(t *testing.T) {
	var n negotiator
	for i := range 3 * maxSeen {
		_, err := n.form(request("application/json;x="+string(rune('a'+i%26))+http.StatusText(i)+string(rune(0x100+i))), 0)
		require.NoError(t, err)
	}
	require.LessOrEqual(t, len(*n.seen.Load()), maxSeen)
}

func FuzzAccept(f *testing.F) {
	f.Add("application/json;as=Table;v=v1;g=meta.k8s.io,application/json;q=0.1,*/*", uint8(1))
	f.Add("*;q=x,,/;=;a=b=c", uint8(0))
	f.Fuzz(func(t *testing.T, header string, o uint8) {
		var n negotiator
		first, err1 := n.accept(header, offer(o))
		second, err2 := n.accept(header, offer(o))
		require.Equal(t, first, second)
		require.Equal(t, err1, err2)
		require.False(t, first.as == asTable && first.media == mediaProtobuf)
	})
}

func BenchmarkAcceptRemembered(b *testing.B) {
	var n negotiator
	r := request("application/vnd.kubernetes.protobuf,application/json")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = n.form(r, offerProtobuf)
	}
}
