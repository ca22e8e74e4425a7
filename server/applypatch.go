package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

// applied gives the change that a configuration makes.
func (c *call) applied(data []byte) (change, error) {
	config, repeated, err := decodeConfiguration(data)
	if err != nil {
		return change{}, err
	}
	delete(config.Metadata(), "creationTimestamp") // which the server alone sets, whatever this says
	return change{creates: true, settled: true, apply: func(ctx context.Context, live object.Object) (object.Object, error) {
		next, err := c.applyTo(ctx, live, config)
		if err != nil {
			return nil, err
		}
		return next, c.reportRepeated(repeated)
	}}, nil
}

// decodeConfiguration reads a configuration. Most are JSON, which needs no YAML parser
// unless there is something to say of them, or they have numbers that are others in YAML:
// 3.0 is 3 there.
func decodeConfiguration(data []byte) (config object.Object, repeated yaml.Duplicates, err error) {
	if config, duplicates, err := object.DecodeStrict(data); err == nil && len(duplicates) == 0 && !hasFloat(map[string]any(config)) {
		return config, nil, nil
	}
	text := data
	if data, repeated, err = yaml.ToJSONStrict(text); err != nil {
		if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
			return nil, nil, object.BadRequest("error decoding patch: error converting YAML to JSON: %v", err)
		}
		return nil, nil, object.BadRequest("error encoding patch: %v", err)
	}
	if config, err = object.Decode(data); err != nil {
		return nil, nil, object.BadRequest("error decoding patch: error unmarshaling JSON: while decoding JSON: %v", err)
	}
	return config, repeated, nil
}

// reportRepeated tells of fields that occur twice, as the client wishes.
func (c *call) reportRepeated(repeated yaml.Duplicates) error {
	switch {
	case len(repeated) == 0 || c.opts.FieldValidation == fieldsIgnore:
	case c.opts.FieldValidation == fieldsStrict:
		return object.BadRequest("error strict decoding patch: error converting YAML to JSON: %v", repeated)
	default:
		for _, text := range repeated {
			c.warn(text)
		}
	}
	return nil
}

// applyTo gives the state of an object that a configuration of the endpoint asks for.
func (c *call) applyTo(ctx context.Context, live, config object.Object) (object.Object, error) {
	shown := live
	if live != nil {
		var err error
		if shown, err = c.begin(live); err != nil {
			return nil, err
		}
	}
	next, changed, err := c.face.merger.Apply(shown, config, c.writer(), c.opts.Force)
	if err != nil {
		return nil, plain(err)
	}
	switch {
	case !changed && live != nil:
		return live.DeepCopy(), nil
	case !changed: // it says nothing of a new object, not even its name
		next = config.DeepCopy()
	}
	if c.view() != nil {
		if err := c.matchPath(next); err != nil {
			return nil, err
		}
		return c.through(ctx, next, live)
	}
	if live == nil && next.UID() != "" {
		return nil, object.Conflict(c.groupResource(), c.name, errNoSuchUID(next.UID()))
	}
	return c.decodeMerged(next, config)
}

// decodeMerged gives a merged object the form that documents of the version have. What
// does not fit comes from the configuration.
func (c *call) decodeMerged(o, config object.Object) (object.Object, error) {
	var err error
	switch {
	case c.version.Codec != nil:
		if o, _, err = c.version.Codec.DecodeJSON(object.AppendJSON(nil, o)); err != nil {
			err = fmt.Errorf("failed to convert new object (%s/%s; %v) to proper version: unable to convert unstructured object to %[3]v: %w",
				config.Namespace(), config.Name(), c.face.gvk, fromMerged(err))
		}
	case c.version.Documents != nil:
		err = c.version.Documents.Complete(o)
	default:
		_, err = c.normalize(o)
	}
	if err != nil {
		return nil, plain(err)
	}
	o.SetType(c.typeMeta)
	c.setDefaults(o)
	return o, nil
}

// fromMerged words what a codec says of a document that was merged, not sent.
func fromMerged(err error) error {
	if errors.As(err, new(base64.CorruptInputError)) {
		return fmt.Errorf("error decoding from json: %w", err)
	}
	return err
}

func errNoSuchUID(uid string) error {
	return errors.New("uid mismatch: the provided object specified uid " + uid + ", and no existing object was found")
}

// plain makes a failure that has no reason one of the server.
func plain(err error) error {
	var status *object.StatusError
	if errors.As(err, &status) {
		return err
	}
	return errPlain(err)
}
