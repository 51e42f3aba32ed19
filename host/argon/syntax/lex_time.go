package syntax

import "time"

// isTimeOfDay tells the body of #10:30:00# from that of a date-time.
func isTimeOfDay(body string) bool {
	return len(body) > 2 && body[2] == ':'
}

// timeText gives the canonical text of a time of day.
func timeText(body string) (string, error) {
	t, err := time.Parse("15:04:05", body)
	if err != nil {
		if t, err = time.Parse("15:04", body); err != nil {
			return "", dateError("a time needs hours to 23, minutes to 59 and seconds to 59")
		}
	}
	return t.Format("15:04:05.999999999"), nil
}
