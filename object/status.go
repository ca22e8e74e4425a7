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

// Code gives the HTTP status that goes with the reason; 500 for those without one of their own.
func (r Reason) Code() int {
	switch r {
	case ErrUnauthorized:
		return http.StatusUnauthorized
	case ErrForbidden:
		return http.StatusForbidden
	case ErrNotFound:
		return http.StatusNotFound
	case ErrAlreadyExists, ErrConflict:
		return http.StatusConflict
	case ErrGone, ErrExpired:
		return http.StatusGone
	case ErrInvalid:
		return http.StatusUnprocessableEntity
	case ErrTimeout:
		return http.StatusGatewayTimeout
	case ErrTooManyRequests:
		return http.StatusTooManyRequests
	case ErrBadRequest:
		return http.StatusBadRequest
	case ErrMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case ErrNotAcceptable:
		return http.StatusNotAcceptable
	case ErrRequestEntityTooLarge:
		return http.StatusRequestEntityTooLarge
	case ErrUnsupportedMediaType:
		return http.StatusUnsupportedMediaType
	case ErrServiceUnavailable:
		return http.StatusServiceUnavailable
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
// of the API's becomes a failure with code 500, its text and no reason, as the API
// answers it.
func AsStatus(err error) Status {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Status
	}
	return NewStatusError("", nil, "%v", err).Status
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
