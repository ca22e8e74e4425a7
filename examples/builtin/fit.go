package builtin

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fits says whether a decoded value is one that the type would write, but for empty
// values of fields: it removes and adds these as the type would. A value that does not fit
// is none, or is so only when read by the type.
func (s *shape) fits(v any) bool {
	switch s.form {
	case textForm:
		_, ok := v.(string)
		return ok
	case boolForm:
		_, ok := v.(bool)
		return ok
	case floatForm:
		_, ok := v.(float64)
		return ok
	case intForm:
		n, ok := v.(int64)
		return ok && n>>(s.bits-1) == n>>63
	case uintForm:
		n, ok := v.(int64)
		return ok && n >= 0 && (s.bits == 64 || n>>s.bits == 0)
	case bytesForm:
		text, ok := v.(string)
		return ok && isBase64(text)
	case timeForm:
		return v == nil || isTime(v, time.RFC3339)
	case microTimeForm:
		return v == nil || isTime(v, metav1.RFC3339Micro)
	case intOrTextForm:
		n, isNumber := v.(int64)
		_, isText := v.(string)
		return isText || isNumber && n == int64(int32(n))
	case amountForm:
		return isAmount(v)
	case ownedFieldsForm:
		return isFieldSet(v)
	case pointerForm:
		return v == nil || s.element.fits(v)
	case listForm:
		return s.fitsList(v)
	case mapForm:
		return s.fitsMap(v)
	case structForm:
		return s.fitsStruct(v)
	}
	return false
}

func (s *shape) fitsList(v any) bool {
	list, ok := v.([]any)
	for _, element := range list {
		if !s.element.fits(element) {
			return false
		}
	}
	return ok || v == nil
}

func (s *shape) fitsMap(v any) bool {
	m, ok := v.(map[string]any)
	for _, value := range m {
		if !s.element.fits(value) {
			return false
		}
	}
	return ok || v == nil
}

func (s *shape) fitsStruct(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	always := 0
	for name, value := range m {
		f := s.fields[name]
		switch {
		case f == nil:
			return false
		case f.omitted && f.isEmpty(value):
			delete(m, name)
			continue
		case !f.fits(value):
			return false
		case !f.omitted:
			always++
		}
	}
	return always == s.always || s.showEmpty(m)
}

// showEmpty adds what a struct shows even when it is empty and was left out. It says
// false where that is not known.
func (s *shape) showEmpty(m map[string]any) bool {
	for name, f := range s.fields {
		if _, ok := m[name]; ok || f.omitted {
			continue
		}
		empty, ok := f.empty()
		if !ok {
			return false
		}
		m[name] = empty
	}
	return true
}

// empty gives what an empty value of the shape is written as.
func (s *shape) empty() (v any, ok bool) {
	switch s.form {
	case textForm:
		return "", true
	case boolForm:
		return false, true
	case intForm, uintForm, intOrTextForm:
		return int64(0), true
	case amountForm:
		return "0", true
	case timeForm, microTimeForm, bytesForm, listForm, mapForm, pointerForm:
		return nil, true
	case structForm:
		m := map[string]any{}
		return m, s.showEmpty(m)
	}
	return nil, false
}

// isEmpty says whether a value is what an empty one of the shape is written as, or null.
func (s *shape) isEmpty(v any) bool {
	if v == nil {
		return s.form != unchecked
	}
	switch s.form {
	case textForm, bytesForm:
		return v == ""
	case boolForm:
		return v == false
	case intForm, uintForm:
		return v == int64(0)
	case floatForm:
		return v == float64(0)
	case listForm:
		list, ok := v.([]any)
		return ok && len(list) == 0
	case mapForm:
		m, ok := v.(map[string]any)
		return ok && len(m) == 0
	}
	return false
}

// dropEmptyLists makes the empty lists of a document null that the type shows even when
// they are.
func (s *shape) dropEmptyLists(v any) {
	switch s.form {
	case structForm:
		m, _ := v.(map[string]any)
		for name, value := range m {
			f := s.fields[name]
			switch list, isList := value.([]any); {
			case f == nil:
			case isList && len(list) == 0:
				m[name] = nil
			default:
				f.dropEmptyLists(value)
			}
		}
	case pointerForm:
		s.element.dropEmptyLists(v)
	case listForm:
		list, _ := v.([]any)
		for _, element := range list {
			s.element.dropEmptyLists(element)
		}
	case mapForm:
		m, _ := v.(map[string]any)
		for _, value := range m {
			s.element.dropEmptyLists(value)
		}
	}
}

// isTime says whether a text is a time, other than the zero one, as layout writes it in UTC.
func isTime(v any, layout string) bool {
	text, _ := v.(string)
	t, err := time.Parse(layout, text)
	if err != nil || t.IsZero() {
		return false
	}
	var buf [40]byte
	return string(t.UTC().AppendFormat(buf[:0], layout)) == text
}

// isFieldSet says whether a value is made of maps alone, as sets of fields are.
func isFieldSet(v any) bool {
	m, ok := v.(map[string]any)
	for _, value := range m {
		if !isFieldSet(value) {
			return false
		}
	}
	return ok
}

// isBase64 says whether a text is standard base64 in the one way it is written.
func isBase64[T string | []byte](text T) bool {
	if len(text)%4 != 0 {
		return false
	}
	n := len(text)
	for n > 0 && len(text)-n < 2 && text[n-1] == '=' {
		n--
	}
	for i := range n {
		if sixBits(text[i]) < 0 {
			return false
		}
	}
	switch len(text) - n { // the bits that the padding leaves over are zero
	case 1:
		return sixBits(text[n-1])&0b11 == 0
	case 2:
		return sixBits(text[n-1])&0b1111 == 0
	}
	return true
}

// sixBits is the value of a digit of base64; negative, if it is none.
func sixBits(c byte) int {
	switch {
	case 'A' <= c && c <= 'Z':
		return int(c - 'A')
	case 'a' <= c && c <= 'z':
		return int(c-'a') + 26
	case '0' <= c && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}
