package object

import (
	"errors"
	"fmt"
	"net/http"
)

// Reason is the machine-readable cause of a failure. Each one is an error by
// itself, so that errors.Is(err, object.ErrConflict) asks for it through any wrapping.
type Reason string

// The reasons of the API, each with the HTTP status that [Reason.Code] gives.
const (
	ErrUnauthorized          Reason = "Unauthorized"          // 401
	ErrForbidden             Reason = "Forbidden"             // 403
	ErrNotFound              Reason = "NotFound"              // 404
	ErrAlreadyExists         Reason = "AlreadyExists"         // 409
	ErrConflict              Reason = "Conflict"              // 409
	ErrGone                  Reason = "Gone"                  // 410
	ErrInvalid               Reason = "Invalid"               // 422
	ErrServerTimeout         Reason = "ServerTimeout"         // 500
	ErrStoreRead             Reason = "StorageReadError"      // 500
	ErrTimeout               Reason = "Timeout"               // 504
	ErrTooManyRequests       Reason = "TooManyRequests"       // 429
	ErrBadRequest            Reason = "BadRequest"            // 400
	ErrMethodNotAllowed      Reason = "MethodNotAllowed"      // 405
	ErrNotAcceptable         Reason = "NotAcceptable"         // 406
	ErrRequestEntityTooLarge Reason = "RequestEntityTooLarge" // 413
	ErrUnsupportedMediaType  Reason = "UnsupportedMediaType"  // 415
	ErrInternal              Reason = "InternalError"         // 500
	ErrExpired               Reason = "Expired"               // 410
	ErrServiceUnavailable    Reason = "ServiceUnavailable"    // 503
)

// Error makes a Reason a target of errors.Is.
func (r Reason) Error() string { return string(r) }

var reasonCodes = map[Reason]int{
	ErrUnauthorized:          http.StatusUnauthorized,
	ErrForbidden:             http.StatusForbidden,
	ErrNotFound:              http.StatusNotFound,
	ErrAlreadyExists:         http.StatusConflict,
	ErrConflict:              http.StatusConflict,
	ErrGone:                  http.StatusGone,
	ErrInvalid:               http.StatusUnprocessableEntity,
	ErrTimeout:               http.StatusGatewayTimeout,
	ErrTooManyRequests:       http.StatusTooManyRequests,
	ErrBadRequest:            http.StatusBadRequest,
	ErrMethodNotAllowed:      http.StatusMethodNotAllowed,
	ErrNotAcceptable:         http.StatusNotAcceptable,
	ErrRequestEntityTooLarge: http.StatusRequestEntityTooLarge,
	ErrUnsupportedMediaType:  http.StatusUnsupportedMediaType,
	ErrExpired:               http.StatusGone,
	ErrServiceUnavailable:    http.StatusServiceUnavailable,
}

// Code gives the HTTP status that goes with the reason; 500 for those without one of their own.
func (r Reason) Code() int {
	if code, ok := reasonCodes[r]; ok {
		return code
	}
	return http.StatusInternalServerError
}

// Status is the document that answers a request which has no object to show:
// every failure, and some successes.
type Status struct {
	TypeMeta `json:",inline"`
	Metadata ListMeta       `json:"metadata"`
	Status   string         `json:"status,omitempty"` // Success or Failure
	Message  string         `json:"message,omitempty"`
	Reason   Reason         `json:"reason,omitempty"`
	Details  *StatusDetails `json:"details,omitempty"`
	Code     int            `json:"code,omitempty"` // HTTP status
}

// StatusDetails says which object a [Status] is about and why in parts.
type StatusDetails struct {
	Name              string  `json:"name,omitempty"`
	Group             string  `json:"group,omitempty"`
	Kind              string  `json:"kind,omitempty"` // a kind or a resource, as the case may be
	UID               string  `json:"uid,omitempty"`
	Causes            []Cause `json:"causes,omitempty"`
	RetryAfterSeconds int32   `json:"retryAfterSeconds,omitempty"`
}

// Cause is one of the reasons for a failure. Field is a dotted path into the object.
type Cause struct {
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Field   string `json:"field,omitempty"`
}

// StatusError is a failure as the API tells it. Err, if any, is what led to it
// and does not travel.
type StatusError struct {
	Status Status
	Err    error
}

// NewStatusError makes a failure with the code that goes with the reason.
func NewStatusError(reason Reason, details *StatusDetails, format string, args ...any) *StatusError {
	return &StatusError{Status: Status{
		TypeMeta: TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   "Failure",
		Message:  fmt.Sprintf(format, args...),
		Reason:   reason,
		Details:  details,
		Code:     reason.Code(),
	}}
}

// Error gives the message.
func (e *StatusError) Error() string { return e.Status.Message }

// Unwrap gives what led to the failure.
func (e *StatusError) Unwrap() error { return e.Err }

// Is matches a [Reason].
func (e *StatusError) Is(target error) bool {
	reason, ok := target.(Reason)
	return ok && reason == e.Status.Reason
}

// AsStatus gives the Status of err, through any wrapping. An error that is none
// of the API's becomes an InternalError with its text.
func AsStatus(err error) Status {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Status
	}
	return InternalError(err).Status
}

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
	e := NewStatusError(ErrInvalid, details, "%s %q is invalid: %v", gk, name, errs)
	e.Err = errs
	return e
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

// IsNotFound says whether err is, or wraps, a failure with reason NotFound.
func IsNotFound(err error) bool { return errors.Is(err, ErrNotFound) }

// IsAlreadyExists says whether err is, or wraps, a failure with reason AlreadyExists.
func IsAlreadyExists(err error) bool { return errors.Is(err, ErrAlreadyExists) }

// IsConflict says whether err is, or wraps, a failure with reason Conflict.
func IsConflict(err error) bool { return errors.Is(err, ErrConflict) }

// IsInvalid says whether err is, or wraps, a failure with reason Invalid.
func IsInvalid(err error) bool { return errors.Is(err, ErrInvalid) }

// IsForbidden says whether err is, or wraps, a failure with reason Forbidden.
func IsForbidden(err error) bool { return errors.Is(err, ErrForbidden) }

// IsExpired says whether err is, or wraps, a failure with reason Expired or Gone.
func IsExpired(err error) bool { return errors.Is(err, ErrExpired) || errors.Is(err, ErrGone) }
