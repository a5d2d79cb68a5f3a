package publish

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// InvalidSitePaidError says that a field breaks a rule and that nothing was sent. Its message names the field, what is
// wrong and the remedy, but contains no value.
type InvalidSitePaidError struct {
	// Field is the name of the field in JSON, or of the header.
	Field  string
	wrong  string
	remedy string
}

func (e *InvalidSitePaidError) Error() string {
	return fmt.Sprintf("site.paid was not published: %s %s. %s", e.Field, e.wrong, e.remedy)
}

// A field of the event, or a header of the record. Lengths are in code points.
type field struct {
	name        string
	min, max    int
	description string
	checks      []check
}

type check struct {
	pattern       *regexp.Regexp
	matches       bool
	wrong, remedy string
}

//go:embed rules.tsv
var rules string

var fields, headers = readRules()

// readRules reads the lines that kit/publish/rules.ts describes.
func readRules() (fields, headers []field) {
	escape := regexp.MustCompile(`\\u([0-9a-f]{4})`)
	current := &fields
	for line := range strings.SplitSeq(strings.TrimSpace(rules), "\n") {
		parts := strings.Split(line, "\t")
		switch parts[0] {
		case "field", "header":
			if parts[0] == "header" {
				current = &headers
			}
			min, _ := strconv.Atoi(parts[2])
			max, _ := strconv.Atoi(parts[3])
			*current = append(*current, field{parts[1], min, max, parts[4], nil})
		default:
			pattern := regexp.MustCompile(escape.ReplaceAllString(parts[1], `\x{$1}`))
			last := &(*current)[len(*current)-1]
			last.checks = append(last.checks, check{pattern, parts[0] == "match", parts[2], parts[3]})
		}
	}
	return fields, headers
}

func (f field) check(value any) (string, error) {
	fail := func(wrong, remedy string) (string, error) {
		return "", &InvalidSitePaidError{f.name, wrong, remedy}
	}
	if value == nil {
		return fail("is missing", "Set it: "+f.description)
	}
	text, ok := value.(string)
	switch length := utf8.RuneCountInString(text); {
	case !ok:
		return fail("is not text", "Convert it to text.")
	case !utf8.ValidString(text):
		return fail("is not valid Unicode", "Decode it with the encoding in which it was written.")
	case length < f.min:
		return fail("is empty", "Set it: "+f.description)
	case length > f.max:
		return fail(fmt.Sprintf("has more than %d characters", f.max), "Shorten it.")
	}
	for _, check := range f.checks {
		if check.pattern.MatchString(text) != check.matches {
			return fail(check.wrong, check.remedy)
		}
	}
	return text, nil
}

func checkEvent(values map[string]any) error {
	for _, field := range fields {
		if _, err := field.check(values[field.name]); err != nil {
			return err
		}
	}
	return nil
}
