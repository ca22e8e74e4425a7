package server

import "io"

// listOutput writes a list whose items come in pieces, compressed or not. What goes wrong is
// the client's doing.
type listOutput struct {
	w      io.Writer
	zip    *gzipStream // nil if it is not compressed
	commas bool        // stand in front of items
	items  bool        // there were some
}

func (o *listOutput) begin(head []byte) error {
	if o.zip == nil {
		_, err := o.w.Write(head)
		return err
	}
	if err := o.zip.begin(); err != nil {
		return err
	}
	return o.zip.addStored(head)
}

func (o *listOutput) add(p piece) error {
	if p.size() == 0 {
		return nil
	}
	first := !o.items
	o.items = true
	if o.zip == nil {
		_, err := o.w.Write(withoutComma(p.plain, o.commas && first))
		return err
	}
	if p.zip.size == 0 {
		p.zip = compressPart(withoutComma(p.plain, o.commas))
	}
	if o.commas && !first {
		if err := o.zip.addStored([]byte{','}); err != nil {
			return err
		}
	}
	return o.zip.add(p.zip)
}

func (o *listOutput) end(tail []byte) error {
	if o.zip == nil {
		_, err := o.w.Write(tail)
		return err
	}
	if err := o.zip.addStored(tail); err != nil {
		return err
	}
	return o.zip.end()
}

// withoutComma gives items without the comma in front of the first, if there is one.
func withoutComma(items []byte, comma bool) []byte {
	if comma && len(items) > 0 {
		return items[1:]
	}
	return items
}
