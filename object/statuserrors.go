package object

import (
	"strings"
)

// NotFound says that the named object of the collection does not exist.
func NotFound(gr GroupResource, name string) *StatusError {
	return NewStatusError(ErrNotFound, detailsOf(gr, name), "%s %q not found", gr, name)
}

// AlreadyExists says that the name is taken.
func AlreadyExists(gr GroupResource, name string) *StatusError {
	return NewStatusError(ErrAlreadyExists, detailsOf(gr, name), "%s %q already exists", gr, name)
}

// Conflict says that the object is not, or no longer, what the caller took it for.
func Conflict(gr GroupResource, name string, err error) *StatusError {
	e := NewStatusError(ErrConflict, detailsOf(gr, name), "Operation cannot be fulfilled on %s %q: %v", gr, name, err)
	e.Err = err
	return e
}

// Forbidden says that the caller may not do this, for the reason given.
func Forbidden(gr GroupResource, name string, err error) *StatusError {
	var e *StatusError
	switch {
	case gr.Resource == "":
		e = NewStatusError(ErrForbidden, detailsOf(gr, name), "forbidden: %v", err)
	case name == "":
		e = NewStatusError(ErrForbidden, detailsOf(gr, name), "%s is forbidden: %v", gr, err)
	default:
		e = NewStatusError(ErrForbidden, detailsOf(gr, name), "%s %q is forbidden: %v", gr, name, err)
	}
	e.Err = err
	return e
}

// Invalid says that the object breaks the rules of its kind.
func Invalid(gk GroupKind, name string, errs FieldErrors) *StatusError {
	details := &StatusDetails{Name: name, Group: gk.Group, Kind: gk.Kind, Causes: errs.causes()}
	if len(errs) == 0 {
		return NewStatusError(ErrInvalid, details, "%s %q is invalid", gk, name)
	}
	e := NewStatusError(ErrInvalid, details, "%s %q is invalid: %v", gk, name, errs)
	e.Err = errs
	return e
}

// GenerateNameConflict says that every name tried for a generateName was taken; try again.
func GenerateNameConflict(gr GroupResource, name string, retryAfterSeconds int32) *StatusError {
	details := detailsOf(gr, name)
	details.RetryAfterSeconds = retryAfterSeconds
	return NewStatusError(ErrAlreadyExists, details,
		"%s %q already exists, the server was not able to generate a unique name for the object", gr, name)
}

// ApplyConflict says that an apply would take fields from their managers; the causes name them.
func ApplyConflict(causes []Cause, message string) *StatusError {
	return NewStatusError(ErrConflict, &StatusDetails{Causes: causes}, "%s", message)
}

// BadRequest says that the request could not be understood.
func BadRequest(format string, args ...any) *StatusError {
	return NewStatusError(ErrBadRequest, nil, format, args...)
}

// InternalError reports a failure that is not the caller's.
func InternalError(err error) *StatusError {
	e := NewStatusError(ErrInternal, &StatusDetails{Causes: []Cause{{Message: err.Error()}}}, "Internal error occurred: %v", err)
	e.Err = err
	return e
}

// Unauthorized says that the caller could not be authenticated; "" as the reason
// gives "not authorized".
func Unauthorized(reason string) *StatusError {
	if reason == "" {
		reason = "not authorized"
	}
	return NewStatusError(ErrUnauthorized, nil, "%s", reason)
}

// MethodNotSupported says that the collection does not know the action, which is a
// verb of the API.
func MethodNotSupported(gr GroupResource, action string) *StatusError {
	return NewStatusError(ErrMethodNotAllowed, detailsOf(gr, ""), "%s is not supported on resources of kind %q", action, gr)
}

// PathNotFound says that nothing is served under the path of the request.
func PathNotFound() *StatusError {
	return NewStatusError(ErrNotFound, &StatusDetails{}, "the server could not find the requested resource")
}

// MethodNotAllowed says that the path of the request does not take its HTTP method.
func MethodNotAllowed() *StatusError {
	return NewStatusError(ErrMethodNotAllowed, &StatusDetails{}, "the server does not allow this method on the requested resource")
}

// NotAcceptable says that no form which the client accepts can be served; these can.
func NotAcceptable(mediaTypes ...string) *StatusError {
	return NewStatusError(ErrNotAcceptable, nil,
		"only the following media types are accepted: %s", strings.Join(mediaTypes, ", "))
}

// UnsupportedMediaType says that the body has a form which is not read here; these are.
func UnsupportedMediaType(mediaTypes ...string) *StatusError {
	return NewStatusError(ErrUnsupportedMediaType, nil,
		"the body of the request was in an unknown format - accepted media types include: %s", strings.Join(mediaTypes, ", "))
}

// RequestTooLarge says that the body of the request is too large.
func RequestTooLarge(format string, args ...any) *StatusError {
	return NewStatusError(ErrRequestEntityTooLarge, nil, "Request entity too large: "+format, args...)
}

// TooManyRequests says that the caller has to slow down.
func TooManyRequests(message string, retryAfterSeconds int32) *StatusError {
	return NewStatusError(ErrTooManyRequests, &StatusDetails{RetryAfterSeconds: retryAfterSeconds}, "%s", message)
}

// ServiceUnavailable says that the request cannot be served now.
func ServiceUnavailable(format string, args ...any) *StatusError {
	return NewStatusError(ErrServiceUnavailable, nil, format, args...)
}

// Timeout says that the request took too long; it may still come to pass.
func Timeout(message string, retryAfterSeconds int32) *StatusError {
	return NewStatusError(ErrTimeout, &StatusDetails{RetryAfterSeconds: retryAfterSeconds}, "Timeout: %s", message)
}

// ServerTimeout says that the operation failed in a way that passes; try again.
func ServerTimeout(gr GroupResource, operation string, retryAfterSeconds int32) *StatusError {
	details := detailsOf(gr, operation)
	details.RetryAfterSeconds = retryAfterSeconds
	return NewStatusError(ErrServerTimeout, details,
		"The %s operation against %s could not be completed at this time, please try again.", operation, gr)
}

// Expired says that the history asked for is gone (410); list anew.
func Expired(format string, args ...any) *StatusError {
	return NewStatusError(ErrExpired, nil, format, args...)
}

// TooLargeResourceVersion says that the store has not reached the version asked for; try again in a second.
func TooLargeResourceVersion(asked, current ResourceVersion) *StatusError {
	details := &StatusDetails{
		Causes:            []Cause{{Reason: "ResourceVersionTooLarge", Message: "Too large resource version"}},
		RetryAfterSeconds: 1,
	}
	return NewStatusError(ErrTimeout, details, "Timeout: Too large resource version: %d, current: %d", asked, current)
}

func detailsOf(gr GroupResource, name string) *StatusDetails {
	return &StatusDetails{Name: name, Group: gr.Group, Kind: gr.Resource}
}
