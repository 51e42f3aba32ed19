package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// line is one line of the input, or the reason why there are no more.
type line struct {
	text    []byte // without line end and surrounding white space
	tooLong bool   // text was dropped
	id      []byte // of a line that is too long: the JSON of its id, where it has one
	err     error  // io.EOF at the end of the input
}

var byteOrderMark = []byte{0xEF, 0xBB, 0xBF}

// readLines cuts r into lines and gives them to emit until emit returns false
// or the input ends. It keeps no more than max bytes of a line. The text of a
// line is not used again after emit, so that messages may point into it.
func readLines(r io.Reader, max int, emit func(line) bool) {
	br := bufio.NewReaderSize(r, 64<<10)
	var (
		text  []byte
		ids   idScanner
		over  bool
		first = true
	)
	for {
		part, err := br.ReadSlice('\n')
		ended := err == nil || !errors.Is(err, bufio.ErrBufferFull)
		switch {
		case over:
			ids.write(part)
		case len(text)+len(bytes.TrimRight(part, "\r\n")) > max:
			over = true
			ids = idScanner{}
			ids.write(text)
			ids.write(part)
			text = nil
		default:
			text = append(text, part...)
		}
		if !ended {
			continue
		}
		if over {
			if !emit(line{tooLong: true, id: ids.id}) {
				return
			}
		} else {
			if first {
				text = bytes.TrimPrefix(text, byteOrderMark)
			}
			if t := bytes.Trim(text, " \t\r\n"); len(t) > 0 && !emit(line{text: t}) {
				return
			}
		}
		first = false
		text, over = nil, false
		if err != nil {
			emit(line{err: err})
			return
		}
	}
}

// idScanner finds the value of the member "id" of a JSON object that goes by
// in pieces and is never held whole, so that a message which is too long to
// read can still be answered. It keeps at most maxIDLength bytes.
type idScanner struct {
	depth    int
	inString bool
	escaped  bool
	wantKey  bool // at depth 1 of an object: the next string is a key
	inKey    bool
	key      []byte
	isID     bool   // the last key was "id"
	inValue  bool   // the value of "id" is going by
	value    []byte // of "id", so far
	id       []byte // the whole value of "id"
}

// maxIDLength bounds the JSON of a request id, in bytes.
const maxIDLength = 256

func (s *idScanner) write(p []byte) {
	for _, c := range p {
		if s.inString {
			s.stringByte(c)
			continue
		}
		switch c {
		case '"':
			s.inString = true
			if s.depth == 1 && s.wantKey {
				s.inKey, s.key = true, s.key[:0]
				continue
			}
		case '{', '[':
			s.depth++
			if s.depth == 1 {
				s.wantKey = c == '{'
				continue
			}
		case '}', ']':
			if s.depth == 1 {
				s.endValue()
			}
			s.depth--
		case ':':
			if s.depth == 1 && s.wantKey {
				s.wantKey = false
				s.inValue = s.isID
				s.value = s.value[:0]
				continue
			}
		case ',':
			if s.depth == 1 {
				s.endValue()
				s.wantKey = true
				continue
			}
		}
		s.keep(c)
	}
}

func (s *idScanner) stringByte(c byte) {
	ended := false
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.inString, ended = false, true
	}
	if !s.inKey {
		s.keep(c)
		return
	}
	if ended {
		s.inKey = false
		s.isID = string(s.key) == "id"
	} else if len(s.key) < maxIDLength {
		s.key = append(s.key, c)
	}
}

func (s *idScanner) keep(c byte) {
	if s.inValue && len(s.value) < maxIDLength {
		s.value = append(s.value, c)
	}
}

func (s *idScanner) endValue() {
	if s.inValue {
		s.id = bytes.TrimSpace(bytes.Clone(s.value))
	}
	s.inValue, s.isID = false, false
}
