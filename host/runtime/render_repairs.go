package runtime

import (
	"fmt"
	"strings"
)

// drawnRepairs is how many repairs a text tree lists; the payload has all.
const drawnRepairs = 5

// drawRepairs lists what would make the fact hold, and says what was covered.
func drawRepairs(b *strings.Builder, n *WhyNotNode) {
	if n.Searched == nil {
		return
	}
	drawLine(b, "", "", searchedText(n), "")
	for i := range n.Repairs {
		if i == drawnRepairs && len(n.Repairs) > i+1 {
			drawLine(b, "+ ", "  ", fmt.Sprintf("and %d more like these; format json lists all", len(n.Repairs)-i), "")
			break
		}
		r := &n.Repairs[i]
		note := "tried: it holds then"
		if !r.Verified {
			note = "not tried"
		}
		drawLine(b, "+ ", "  ", strings.Join(r.Facts, " and "), note)
	}
}

func repairText(r *Repair) string { return "+ " + strings.Join(r.Facts, " and ") }

// searchedText says what the search for repairs covered, in a sentence.
func searchedText(n *WhyNotNode) string {
	s := n.Searched
	switch {
	case len(n.Repairs) > 0 && s.Complete:
		return fmt.Sprintf("It would hold with %s added; no fewer facts do:", counted(s.MaxSize))
	case len(n.Repairs) > 0:
		return fmt.Sprintf("It would hold with %s added; there may be other ways:", counted(s.MaxSize))
	case s.Complete:
		return fmt.Sprintf("No addition of %s makes it hold.", upTo(s.MaxSize))
	case s.MaxSize == 0:
		return "What would make it hold was not found: the search passed a limit."
	}
	return fmt.Sprintf("What would make it hold was not found; not all sets of %s were tried.", upTo(s.MaxSize))
}

func counted(n int) string {
	if n == 1 {
		return "one fact"
	}
	return fmt.Sprintf("%d facts", n)
}

func upTo(n int) string {
	if n == 1 {
		return "one fact"
	}
	return fmt.Sprintf("up to %d facts", n)
}
