package server

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// decodeDeleteOptionsProtobuf reads the body of a DELETE in protobuf. What it
// cannot read is a BadRequest.
func decodeDeleteOptionsProtobuf(data []byte) (gc.DeleteOptions, error) {
	t, raw, err := decodeEnvelope(data)
	if err != nil {
		return gc.DeleteOptions{}, object.BadRequest("%v", err)
	}
	o := object.Object{}
	if t.Kind == "DeleteOptions" {
		if o, err = decodeDeleteOptionsMessage(raw); err != nil {
			return gc.DeleteOptions{}, object.BadRequest("%v", err)
		}
	}
	o.SetType(t)
	return gc.ParseDeleteOptions(o)
}

// decodeDeleteOptionsMessage reads the message of DeleteOptions and gives the
// document that says the same in JSON, without its type.
func decodeDeleteOptionsMessage(data []byte) (object.Object, error) {
	o := object.Object{}
	for f, err := range messageFields(data) {
		if err != nil {
			return nil, fmt.Errorf("reading DeleteOptions: %w", err)
		}
		varint := f.kind == protowire.VarintType
		switch {
		case f.number == 1 && varint:
			o["gracePeriodSeconds"] = int64(f.varint)
		case f.number == 2 && !varint:
			preconditions, err := decodePreconditions(f.bytes)
			if err != nil {
				return nil, fmt.Errorf("reading DeleteOptions: preconditions: %w", err)
			}
			o["preconditions"] = preconditions
		case f.number == 3 && varint:
			o["orphanDependents"] = f.varint != 0
		case f.number == 4 && !varint:
			o["propagationPolicy"] = string(f.bytes)
		case f.number == 5 && !varint:
			stages, _ := o["dryRun"].([]any)
			o["dryRun"] = append(stages, any(string(f.bytes)))
		case f.number == 6 && varint:
			o["ignoreStoreReadErrorWithClusterBreakingPotential"] = f.varint != 0
		}
	}
	return o, nil
}

func decodePreconditions(data []byte) (map[string]any, error) {
	m := map[string]any{}
	for f, err := range messageFields(data) {
		switch {
		case err != nil:
			return nil, err
		case f.number == 1 && f.kind == protowire.BytesType:
			m["uid"] = string(f.bytes)
		case f.number == 2 && f.kind == protowire.BytesType:
			m["resourceVersion"] = string(f.bytes)
		}
	}
	return m, nil
}
