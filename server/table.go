package server

import (
	"net/url"
	"slices"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// includeObject is what a Table shows of the objects behind its rows.
type includeObject uint8

const (
	includeMetadata includeObject = iota
	includeWhole
	includeNone
)

// parseInclude reads the parameter includeObject, which counts for Tables only.
func parseInclude(q url.Values) (includeObject, error) {
	switch value := q.Get("includeObject"); value {
	case "", "Metadata":
		return includeMetadata, nil
	case "Object":
		return includeWhole, nil
	case "None":
		return includeNone, nil
	default:
		err := object.InvalidField("includeObject", value, "must be 'Metadata', 'Object', 'None', or empty")
		return 0, object.BadRequest("Unable to convert to Table as requested: %v", err)
	}
}

// withTableOptions completes the form of a Table from the query. Errors are of the
// kind that the API reports only when the work is done.
func (f form) withTableOptions(q url.Values) (form, error) {
	if f.as != asTable {
		return f, nil
	}
	var err error
	f.include, err = parseInclude(q)
	return f, err
}

// tableColumns are those of a version with what its Tables have without being told:
// the name in front, unless it is among them, and the age if nothing else is.
func tableColumns(described []Column) []Column {
	if slices.ContainsFunc(described, func(c Column) bool { return c.Format == "name" }) {
		return described
	}
	columns := append([]Column{{
		Name: "Name", Type: "string", Format: "name",
		Description: "The name of the object, unique among those of its kind in the same namespace.",
		Value:       func(o object.Object) any { return o.Name() },
	}}, described...)
	if len(described) > 0 {
		return columns
	}
	return append(columns, ageColumn())
}

func ageColumn() Column {
	return Column{
		Name: "Age", Type: "date", Description: "The time since the object was created.",
		Value: func(o object.Object) any {
			created, _ := o.Metadata()["creationTimestamp"].(string)
			return created
		},
	}
}

// appendTableHead appends a Table up to its rows, which the caller appends with
// commas between them, and then tableTail.
func (s *served) appendTableHead(dst []byte, f form, m object.ListMeta) []byte {
	dst = append(dst, `{"kind":"Table","apiVersion":"`...)
	dst = append(dst, f.apiVersion()...)
	dst = append(dst, `","metadata":`...)
	dst = appendListMetaJSON(dst, m, false)
	dst = append(dst, `,"columnDefinitions":`...)
	if f.headless {
		dst = append(dst, "null"...)
	} else {
		dst = s.appendColumns(dst)
	}
	return append(dst, `,"rows":[`...)
}

const tableTail = "]}"

func (s *served) appendColumns(dst []byte) []byte {
	dst = append(dst, '[')
	for i := range s.columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendColumn(dst, &s.columns[i])
	}
	return append(dst, ']')
}

func appendColumn(dst []byte, c *Column) []byte {
	dst = append(dst, `{"name":`...)
	dst = object.AppendJSON(dst, c.Name)
	dst = append(dst, `,"type":`...)
	dst = object.AppendJSON(dst, c.Type)
	dst = append(dst, `,"format":`...)
	dst = object.AppendJSON(dst, c.Format)
	dst = append(dst, `,"description":`...)
	dst = object.AppendJSON(dst, c.Description)
	dst = append(dst, `,"priority":`...)
	dst = object.AppendJSON(dst, int64(c.Priority))
	return append(dst, '}')
}

// appendTableRow appends the row of a stored object. Only the metadata is parsed
// if no column wants more.
func (s *served) appendTableRow(dst []byte, f form, e *object.Encoded, now time.Time) ([]byte, error) {
	if len(s.version.Columns) > 0 || f.include == includeWhole && !s.stored {
		seen := e
		if !s.owners && f.include != includeWhole && s.copies(e) {
			seen = withoutOwners(e)
		}
		o, err := s.fromStored(seen)
		if err != nil {
			return nil, err
		}
		dst = s.appendCells(dst, o, now)
		return s.appendRowObject(dst, f, e, o), nil
	}
	metadata, err := decodeMetadata(e)
	if err != nil {
		return nil, err
	}
	dst = s.appendCells(dst, object.Object{"metadata": metadata}, now)
	return s.appendRowObject(dst, f, e, nil), nil
}

// withoutOwners gives a stored object without its managedFields.
func withoutOwners(e *object.Encoded) *object.Encoded {
	metadata := metadataOf(e)
	at := len(storedPrefix) - 1
	body := append(make([]byte, 0, len(e.Body)), e.Body[:at]...)
	body = appendRawWithout(body, metadata, "managedFields")
	return &object.Encoded{Version: e.Version, Head: e.Head, Body: append(body, e.Body[at+len(metadata):]...)}
}

func (s *served) appendRowObject(dst []byte, f form, e *object.Encoded, o object.Object) []byte {
	switch {
	case f.include == includeMetadata:
		dst = appendPartial(dst, f, e)
	case f.include == includeNone:
		dst = append(dst, "null"...)
	case s.stored:
		dst = e.AppendJSON(dst, s.typeMeta)
	default:
		dst = object.AppendJSON(dst, o)
	}
	return append(dst, '}')
}

// appendTableRowOf appends the row of a document that is not stored, such as the
// object of a bookmark. The one that ends the initial events keeps its metadata
// whatever the client includes: the annotation there is the message.
func (s *served) appendTableRowOf(dst []byte, f form, o object.Object, now time.Time) []byte {
	dst = s.appendCells(dst, o, now)
	switch {
	case f.include == includeWhole:
		dst = object.AppendJSON(dst, o)
	case f.include == includeMetadata || o.Annotations()[initialEventsEnd] == "true":
		dst = appendPartialOf(dst, f, o)
	default:
		dst = append(dst, "null"...)
	}
	return append(dst, '}')
}

// appendCells appends the beginning of a row, up to its object.
func (s *served) appendCells(dst []byte, o object.Object, now time.Time) []byte {
	dst = append(dst, `{"cells":[`...)
	for i := range s.columns {
		c := &s.columns[i]
		v := c.Value(o)
		if c.Type == "date" && !c.Verbatim {
			v = dateCell(v, now)
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = object.AppendJSON(dst, v)
	}
	return append(dst, `],"object":`...)
}

// appendTable appends the Table of one stored object, as JSON.
func (s *served) appendTable(dst []byte, f form, e *object.Encoded, now time.Time) ([]byte, error) {
	dst = s.appendTableHead(dst, f, object.ListMeta{ResourceVersion: e.Version.String()})
	dst, err := s.appendTableRow(dst, f, e, now)
	if err != nil {
		return nil, err
	}
	return append(dst, tableTail...), nil
}

// appendTableOf appends the Table of one document that is not stored.
func (s *served) appendTableOf(dst []byte, f form, o object.Object, now time.Time) []byte {
	dst = s.appendTableHead(dst, f, object.ListMeta{ResourceVersion: o.ResourceVersion()})
	dst = s.appendTableRowOf(dst, f, o, now)
	return append(dst, tableTail...)
}

// appendListMetaJSON appends the metadata of a list, with an empty member continue
// if that is wanted.
func appendListMetaJSON(dst []byte, m object.ListMeta, emptyContinue bool) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for _, member := range [...]struct {
		name, value string
		empty       bool
	}{
		{`"selfLink":`, m.SelfLink, false},
		{`"resourceVersion":`, m.ResourceVersion, false},
		{`"continue":`, m.Continue, emptyContinue},
	} {
		if member.value != "" || member.empty {
			dst = append(dst, member.name...)
			dst = object.AppendJSON(dst, member.value)
			dst = append(dst, ',')
		}
	}
	if m.RemainingItemCount != nil {
		dst = append(dst, `"remainingItemCount":`...)
		dst = object.AppendJSON(dst, *m.RemainingItemCount)
		dst = append(dst, ',')
	}
	if len(dst) > start {
		dst = dst[:len(dst)-1]
	}
	return append(dst, '}')
}
